"""What planning tells: answers, rehearsals, patches, inputs, expected values, matches, plans."""
