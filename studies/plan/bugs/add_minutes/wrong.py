def add_minutes(time, minutes):
    """Add minutes to an 'HH:MM' time, wrapping around at midnight."""
    hour, minute = time.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    new_hour = total // 60
    new_minute = total % 60
    return "{:02d}:{}".format(new_hour, new_minute)
