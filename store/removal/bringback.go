package removal

import (
	"context"
	"errors"
	"fmt"
	"os"

	"warcorder/store/collection"
)

// bringBack brings the files back that are in object storage alone: what takes the place of a file is
// made of it here. If the removal comes to nothing, they stay here, until the uploader lets them go again.
func (p *Plan) bringBack(ctx context.Context, mode collection.Mode) error {
	for _, w := range p.work {
		if !w.away {
			continue
		}
		if err := p.readers.Holdings().BringBack(ctx, p.index, w.File, mode); err != nil {
			return fmt.Errorf("bring %s back, from which something is to go: %w", w.Name, err)
		}
		if w.away = false; ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// openHere opens a file that is here by now.
func (p *Plan) openHere(w *work) (*os.File, error) {
	opened, err := os.Open(p.dir.WARC(w.Name))
	if err != nil {
		return nil, err
	}
	info, err := opened.Stat()
	if err == nil && info.Size() != w.size {
		err = fmt.Errorf("%w: %s has %d bytes, and %d by the index", ErrAgain, w.Name, info.Size(), w.size)
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}
