package access

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// hashOf is the hash of a password at the least cost.
func hashOf(t testing.TB, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

// usersOf makes users of NAME:PASSWORD.
func usersOf(t testing.TB, pairs ...string) Users {
	t.Helper()
	for i, pair := range pairs {
		name, password, _ := strings.Cut(pair, ":")
		pairs[i] = name + ":" + hashOf(t, password)
	}
	users, err := ParseUsers(strings.Join(pairs, ","))
	if err != nil {
		t.Fatal(err)
	}
	return users
}

// TestUsersRefused: what could let nobody in, or the wrong one, is refused at the start, and no
// hash is shown.
func TestUsersRefused(t *testing.T) {
	const rest = "10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
	const good = "$2a$" + rest
	for _, c := range []struct{ name, list, says string }{
		{"no hash", "anna", "user 1 is not NAME:BCRYPT"},
		{"a hash alone", good, "user 1 is not NAME:BCRYPT"},
		{"nothing behind the comma", "anna:" + good + ",", "user 2 is not NAME:BCRYPT"},
		{"no name", ":" + good, "the name is empty"},
		{"a long name", strings.Repeat("n", 201) + ":" + good, "longer than 200 bytes"},
		{"a control character", "an\x01na:" + good, "control characters"},
		{"a password in clear", "anna:secret7", "must be a bcrypt hash"},
		{"MD5 of Apache", "anna:$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/", "must be a bcrypt hash"},
		{"SHA-1", "anna:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "must be a bcrypt hash"},
		{"the broken version", "anna:$2x$" + rest, "$2a$, $2b$ or $2y$"},
		{"what a shell leaves of it", "anna:a0", "in single quotes"},
		{"cut", "anna:" + good[:59], "it has 59 bytes and must have 60"},
		{"longer", "anna:" + good + "x", "it has 61 bytes"},
		{"no letters of a hash", "anna:" + good[:59] + "!", "damaged"},
		{"no cost", "anna:$2a$xx$" + good[7:], "the cost"},
		{"cost of 3", "anna:$2a$03$" + good[7:], "from 4 to 14"},
		{"cost of 15", "anna:$2a$15$" + good[7:], "from 4 to 14"},
		{"twice", "anna:" + good + ",bert:" + good + ",anna:$2y$" + rest, `user "anna" is there twice`},
	} {
		users, err := ParseUsers(c.list)
		if err == nil || !strings.Contains(err.Error(), c.says) || !users.IsEmpty() {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
			continue
		}
		for _, secret := range []string{rest[3:20], "secret7", "HqJZimcKQFAMYay", "W6ph5Mm5Pz8"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error shows the hash: %v", c.name, err)
			}
		}
	}
}

// TestUsersTaken: the versions that programs write, blanks around, and names of all alphabets.
func TestUsersTaken(t *testing.T) {
	hash := hashOf(t, "x")
	list := "anna:" + hash + " , bert:$2y$" + hash[4:] + ",c@d e:$2b$" + hash[4:] + ",Jürgen:" + hash
	users, err := ParseUsers(list)
	if err != nil {
		t.Fatal(err)
	}
	if got := users.String(); got != "anna,bert,c@d e,Jürgen" {
		t.Errorf("%q", got)
	}
	if shown := fmt.Sprintf("%v %+v %#v", users, users, users); strings.Contains(shown, "$") {
		t.Errorf("the hashes are shown: %s", shown)
	}
	door := NewDoor(users)
	for _, name := range []string{"anna", "bert", "c@d e", "Jürgen"} {
		if answer := door.Check(&Pass{}, basic(name+":x"), home); answer != Known {
			t.Errorf("%s: %v", name, answer)
		}
	}
	if none, err := ParseUsers(" "); err != nil || !none.IsEmpty() {
		t.Errorf("%v, %v", none, err)
	}
	more, err := users.With(usersOf(t, "dora:y"))
	if err != nil || more.String() != "anna,bert,c@d e,Jürgen,dora" {
		t.Errorf("%v, %v", more, err)
	}
	if _, err := users.With(users); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
}

// TestNew: what it makes is read again and lets its user in; what bcrypt or a client could not take
// is refused.
func TestNew(t *testing.T) {
	line, err := New("anna", "päss:word")
	if err != nil {
		t.Fatal(err)
	}
	users, err := ParseUsers(line)
	if err != nil {
		t.Fatal(err)
	}
	if answer := NewDoor(users).Check(&Pass{}, basic("anna:päss:word"), home); answer != Known {
		t.Errorf("%v", answer)
	}
	for _, c := range []struct{ name, password, says string }{
		{"a:b", "x", "no colon"},
		{"", "x", "empty"},
		{"a", "", "the password is empty"},
		{"a", "x\ty", "control characters"},
		{"a", "\xff", "not UTF-8"},
		{"a", strings.Repeat("ä", 36) + "x", "longer than 72 bytes"},
	} {
		if _, err := New(c.name, c.password); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.name, err, c.says)
		}
	}
}
