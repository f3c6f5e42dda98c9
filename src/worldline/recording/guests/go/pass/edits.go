package main

import (
	"sort"
	"strings"
)

// edit replaces a range of a source; one that replaces nothing inserts.
type edit struct {
	from, to int
	rank     int // of those at one place: the lowest first
	text     string
}

type edits []edit

// The ranks of what is inserted at one place.
const (
	rankAfter = iota // it ends what stands before it
	rankEnter
	rankScope
	rankOpen
	rankLine
	rankHeader
	rankInner
)

func (e *edits) insert(at, rank int, text string) {
	*e = append(*e, edit{at, at, rank, text})
}

func (e *edits) replace(from, to, rank int, text string) {
	*e = append(*e, edit{from, to, rank, text})
}

// take applies the edits of a range to it and removes them.
func (e *edits) take(source string, from, to int) string {
	var inside, others edits
	for _, one := range *e {
		if one.from >= from && one.to <= to && !(one.from == to && one.rank != rankAfter) {
			inside = append(inside, one)
		} else {
			others = append(others, one)
		}
	}
	*e = others
	return inside.apply(source, from, to)
}

func (e edits) apply(source string, from, to int) string {
	sort.SliceStable(e, func(i, j int) bool {
		if e[i].from != e[j].from {
			return e[i].from < e[j].from
		}
		return e[i].rank < e[j].rank
	})
	var out strings.Builder
	at := from
	for _, one := range e {
		out.WriteString(source[at:one.from])
		out.WriteString(one.text)
		at = one.to
	}
	out.WriteString(source[at:to])
	return out.String()
}

// withLines adds the line ends that a replaced text had, so that all lines keep their numbers.
func withLines(text, replaced string) string {
	missing := strings.Count(replaced, "\n") - strings.Count(text, "\n")
	if missing > 0 {
		return text + strings.Repeat("\n", missing)
	}
	return text
}
