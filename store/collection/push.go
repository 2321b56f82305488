package collection

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// PushToken returns the path of the token of what an address has been given. It is no part of
// the index: a rebuild leaves it as it is, and so does a removal.
func (d Dir) PushToken(address string) string {
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(string(d), "push-"+hex.EncodeToString(sum[:8])+".token")
}
