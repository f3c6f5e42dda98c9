def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def day_of_year(date):
    """Return the ordinal day of an ISO date such as '2024-03-01'."""
    year, month, day = [int(part) for part in date.split("-")]
    lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if is_leap(year):
        lengths[1] = 29
    return sum(lengths[:month - 1]) + day
