package access

import "time"

// For is a door for other users, nil if there are none. It remembers of this one, which may be nil,
// whose credentials are good, of those users whose passwords are the same still: so that nobody waits
// for a comparison because others come or go. What was wrong may be right by now, and is compared.
func (d *Door) For(users Users) *Door {
	if d == nil || users.IsEmpty() {
		return NewDoor(users)
	}
	other := makeDoor(users, d.macs, d.turns)
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	for _, shown := range d.good.Keys() { // from the one that was looked for longest ago
		is, _ := d.good.Peek(shown)
		name, hash := d.users.names[is.user], d.users.hashes[is.user]
		if user, same := other.sameUser(name, hash); same && now.Before(is.until) {
			other.good.Add(shown, outcome{user, is.until})
		}
	}
	return other
}

// sameUser returns the user of a name, if that has a password of that hash.
func (d *Door) sameUser(name, hash string) (user int, same bool) {
	user, known := d.userOf(name)
	return user, known && d.users.hashes[user] == hash
}

// Knows reports whether the pass of a connection, which it has from a door before this one (For), is
// still that of a user with the same password.
func (d *Door) Knows(p *Pass) bool {
	if p.User == "" {
		return false
	}
	_, same := d.sameUser(p.User, p.hash)
	return same
}

// Renew makes a pass nobody's that this door does not know.
func (d *Door) Renew(p *Pass) {
	if !d.Knows(p) {
		*p = Pass{}
	}
}
