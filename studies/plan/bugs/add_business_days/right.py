from datetime import date, timedelta


def add_business_days(start, days):
    """Return the ISO date that many working days (Monday-Friday) later."""
    current = date.fromisoformat(start)
    remaining = days
    while remaining > 0:
        current += timedelta(days=1)
        if current.weekday() < 5:
            remaining -= 1
    return current.isoformat()
