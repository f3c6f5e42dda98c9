# outcome: returned
# item: 40
# delta: text='kept'
with open("note.txt", "w") as file:
    file.write("kept")
text = open("note.txt").read()
print(text)
