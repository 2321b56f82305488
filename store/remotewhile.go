package store

import "fmt"

// SetRemoteWhile is SetRemote, if holds returns no error. While it is asked, and until that is stored, no
// file takes the place of another one, as a removal has it do: so it can look whether the file is still
// the one of which the copy was made.
func (b *Bolt) SetRemoteWhile(name string, remote *Remote, holds func() error) error {
	b.commit.Lock()
	err := holds()
	if err == nil {
		err = b.setRemote(name, remote)
	}
	b.commit.Unlock()
	if err != nil {
		return fmt.Errorf("note where %s has a copy: %w", name, err)
	}
	return nil
}
