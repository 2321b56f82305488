package collection

import "errors"

// ErrLocked says that another process has the collection or its index open. Whoever wants to read
// gets it if that process writes; whoever wants to write gets it in any case.
var ErrLocked = errors.New("the index is in use by another process")
