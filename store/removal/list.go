package removal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"warcorder/store/removal/tombstone"
	"warcorder/store/warc"
)

// list lists the captures that go, for the tombstone. They are read when it is written: the lists of
// all files may be more than memory has.
func (o *writer) list(ctx context.Context) (l tombstone.List, err error) {
	if o.order.Forget {
		return l, nil
	}
	for i := range o.edits {
		if e := &o.edits[i]; e.turn == nil && !e.retold {
			if err := o.listed(ctx, e, &l); err != nil {
				return l, fmt.Errorf("list what goes: %w", err)
			}
		}
	}
	return l, nil
}

// listed adds the captures of a stretch that goes.
func (o *writer) listed(ctx context.Context, e *edit, l *tombstone.List) error {
	reader, err := warc.NewForeignReader(heed(ctx, io.NewSectionReader(o.in, 0, e.to)), o.Name, e.from)
	for err == nil {
		var record *warc.Record
		if record, err = reader.Next(); err == nil {
			if o.gone.has(place{o.File.ID, record.Offset}) {
				h := record.Header
				l.Add(h.Get("WARC-Date"), cmp.Or(h.Get("WARC-Payload-Digest"), h.Get("WARC-Block-Digest")),
					record.TargetURI())
			}
			err = cmp.Or(record.Skip(), ctx.Err())
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// mostTold is how many bytes the block of an earlier tombstone may have that is written anew: those
// that we write have less.
const mostTold = 2 * tombstone.MaxList

// told reads the block of what may be an earlier tombstone; nil if it is none.
func told(record *warc.Record) ([]byte, error) {
	if !tombstone.MayBe(record.Header) {
		return nil, nil
	}
	block, err := io.ReadAll(io.LimitReader(record.Block, mostTold+1))
	if err != nil || !tombstone.Is(record.Header, block) {
		return nil, err
	}
	if len(block) > mostTold {
		return nil, fmt.Errorf("the tombstone at byte %d has more than %d bytes, so that warcorder has not "+
			"written it, and cannot take anything out of it: remove without --forget, or name other files "+
			"(--file)", record.Offset, mostTold)
	}
	return block, nil
}

// retoldBlock is the block of an earlier tombstone without what is forgotten; nil if it has none of that.
func (p *Plan) retoldBlock(record *warc.Record) ([]byte, error) {
	block, err := told(record)
	if block == nil || err != nil {
		return nil, err
	}
	return tombstone.Forget(block, p.order.Page, p.order.forgets()), nil
}
