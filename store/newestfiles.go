package store

import "slices"

// NewestFiles returns the files that the index came to know last, the newest first, no more than most,
// and how many it knows. However many that are, it takes no longer, and no disk.
func (b *Bolt) NewestFiles(most int) (files []File, all int) { return b.files.newest(most) }

// newest is NewestFiles.
func (t *fileTable) newest(most int) (files []File, all int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	files = slices.Clone(t.files[max(0, len(t.files)-most):])
	slices.Reverse(files)
	return files, len(t.files)
}
