def column_label(number):
    """Return the spreadsheet label of a column: 1 is A, 26 is Z, 27 is AA."""
    if number < 1:
        return ""
    label = ""
    while number > 0:
        digit = (number - 1) % 26
        label = chr(ord("A") + digit) + label
        number = number // 26
    return label
