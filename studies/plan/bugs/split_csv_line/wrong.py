def split_csv_line(line):
    """Split a line at commas outside double quotes and trim the fields."""
    fields = []
    field = ""
    quoted = False
    for ch in line:
        if ch == '"':
            quoted = not quoted
        elif ch == ",":
            fields.append(field.strip())
            field = ""
        else:
            field += ch
    fields.append(field)
    return fields
