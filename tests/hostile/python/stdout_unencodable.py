# outcome: raised UnicodeEncodeError
# item: 28
# item: 11
# delta: s='\ud83d'
s = "\ud83d"
print("fine")
print(s)
