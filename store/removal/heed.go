package removal

import (
	"context"
	"io"
)

// heeding reads as long as its context has not ended: a record may be as long as a film.
type heeding struct {
	ctx context.Context
	io.Reader
}

func (h heeding) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.Reader.Read(p)
}

// heedingFile is heeding for a file.
type heedingFile struct {
	heeding
	io.Seeker
}

// heed lets a file be read as long as ctx has not ended.
func heed(ctx context.Context, file io.ReadSeeker) io.ReadSeeker {
	return heedingFile{heeding{ctx, file}, file}
}
