package collection

import "errors"

// ErrLocked says that another process has the collection open, or its index: one that writes, or,
// when it was to be opened for writing, any.
var ErrLocked = errors.New("the index is in use by another process")
