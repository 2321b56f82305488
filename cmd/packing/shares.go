package packing

import (
	"context"
	"encoding/binary"
	"errors"

	"warcorder/store"
	"warcorder/store/copying"
	"warcorder/store/extsort"
	"warcorder/store/selection"
)

// share is what is selected for one part.
type share struct {
	sel  selection.Selection
	plan *copying.Plan
}

// What is counted for a capture beside its record: its line in the index and, where they are not
// counted with their file, its request and metadata records.
const (
	perLine   = 600
	perBeside = 1200
	perPart   = 256 << 10
)

// planned is about how long a WACZ will be, without its pages.
func planned(sel selection.Selection, plan *copying.Plan) int64 {
	return plan.Bytes() + plan.Captures*perCapture(sel) + perPart
}

func perCapture(sel selection.Selection) int64 {
	if isOfFiles(sel) {
		return perLine
	}
	return perLine + perBeside
}

// isOfFiles reports whether of each file all is selected, or nothing.
func isOfFiles(sel selection.Selection) bool {
	sel.Files = nil
	return sel.IsAll()
}

// isDivisible reports whether a selection may be divided into several.
func isDivisible(sel selection.Selection) bool {
	return len(sel.Files) != 1 || sel.From == "" || sel.From != sel.To || len(sel.From) < secondSize
}

// secondSize is the length of YYYYMMDDhhmmss.
const secondSize = 14

// eachShare divides a selection into shares that are planned to be no longer than most bytes, and
// calls do with each. What turns out to be longer than a part may be, by the originals that it
// needs, is divided further.
func (p *Package) eachShare(ctx context.Context, sel selection.Selection, most int64,
	do func(*share) error) error {
	parts, err := p.divide(ctx, sel, most)
	if err != nil {
		return err
	}
	if len(parts) == 1 {
		most = most * 3 / 4
	}
	for _, part := range parts {
		plan, err := p.plan(ctx, part)
		if err != nil {
			return err
		}
		further := planned(part, plan) > p.Split && isDivisible(part) && most > p.Split/64
		if !further {
			err = do(&share{part, plan})
		}
		if err = errors.Join(err, plan.Close()); err == nil && further {
			err = p.eachShare(ctx, part, most, do)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// divide divides what is selected of several files by files, and that of one file by time. Each
// part has something.
func (p *Package) divide(ctx context.Context, sel selection.Selection, most int64) (
	parts []selection.Selection, err error) {
	choice, err := p.Source.Choose(ctx, sel, selection.Detail{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, choice.Close()) }()
	if len(sel.Files) == 1 {
		return p.byTime(ctx, sel, choice, most)
	}
	return byFiles(ctx, sel, choice, most)
}

// byFiles divides between files, in their order.
func byFiles(ctx context.Context, sel selection.Selection, choice *selection.Choice, most int64) (
	parts []selection.Selection, err error) {
	sizes := make(map[string]int64, len(choice.Files))
	for c, err := range choice.Captures(ctx) {
		if err != nil {
			return nil, err
		}
		if !c.Needed {
			sizes[c.File] += perCapture(sel)
			if !isOfFiles(sel) {
				sizes[c.File] += c.Length
			}
		}
	}
	size := most // of the part that is being made: there is none yet
	for _, f := range choice.Files {
		here, has := sizes[f.Name]
		if !has {
			continue
		}
		if isOfFiles(sel) {
			here += f.Committed
		}
		if size+here > most-perPart {
			part := sel
			part.Files = nil
			parts, size = append(parts, part), 0
		}
		last := &parts[len(parts)-1]
		last.Files = append(last.Files, f.Name)
		size += here
	}
	return parts, nil
}

// byTime divides what is selected of one file between seconds.
func (p *Package) byTime(ctx context.Context, sel selection.Selection, choice *selection.Choice,
	most int64) (parts []selection.Selection, err error) {
	sorter := extsort.Sorter{Dir: p.TempDir, Memory: 8 << 20}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	var line []byte
	for c, err := range choice.Captures(ctx) {
		if err != nil {
			return nil, err
		}
		if c.Needed {
			continue
		}
		line = store.FourDigitYear(c.Time).AppendFormat(line[:0], "20060102150405")
		line = binary.BigEndian.AppendUint64(line, uint64(c.Length+perLine+perBeside))
		if err := sorter.Add(line); err != nil {
			return nil, err
		}
	}
	lines, err := sorter.Sorted()
	if err != nil {
		return nil, err
	}
	size, last := int64(0), ""
	for ; lines.More(); err = lines.Next() {
		if err != nil {
			return nil, err
		}
		second := string(lines.Head()[:secondSize])
		here := int64(binary.BigEndian.Uint64(lines.Head()[secondSize:]))
		switch {
		case len(parts) == 0:
			parts = append(parts, sel)
		case second != last && size+here > most-perPart:
			parts[len(parts)-1].To = last
			parts, size = append(parts, sel), 0
			parts[len(parts)-1].From = second
		}
		size, last = size+here, second
	}
	return parts, err
}
