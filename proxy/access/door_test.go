package access

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/proxy/raced"
)

var home = netip.MustParseAddr("192.0.2.1")

// basic is the field of a name and a password.
func basic(pair string) []byte {
	return []byte("Basic " + base64.StdEncoding.EncodeToString([]byte(pair)))
}

// TestCheck: what clients send, in the ways in which they send it.
func TestCheck(t *testing.T) {
	long := strings.Repeat("p", 72)
	door := NewDoor(usersOf(t, "anna:secret", "bert:a:b", "empty:", "Jürgen:grün", "lång:ü€", "long:"+long))
	for _, c := range []struct {
		name, field string
		answer      Answer
		user        string
	}{
		{"right", string(basic("anna:secret")), Known, "anna"},
		{"scheme in other letters", "bAsIC  YW5uYTpzZWNyZXQ= ", Known, "anna"},
		{"without padding", "Basic YW5uYTpzZWNyZXQ", Known, "anna"},
		{"a colon in the password", string(basic("bert:a:b")), Known, "bert"},
		{"an empty password", string(basic("empty:")), Known, "empty"},
		{"UTF-8", string(basic("Jürgen:grün")), Known, "Jürgen"},
		{"Latin-1", string(basic("J\xfcrgen:gr\xfcn")), Known, "Jürgen"},
		{"UTF-8 beyond Latin-1", string(basic("lång:ü€")), Known, "lång"},
		{"longer than bcrypt looks", string(basic("long:" + long + "more")), Known, "long"},
		{"wrong", string(basic("anna:Secret")), Wrong, ""},
		{"another's password", string(basic("anna:a:b")), Wrong, ""},
		{"another's name", string(basic("Anna:secret")), Wrong, ""},
		{"a name that nobody has", string(basic("carl:secret")), Wrong, ""},
		{"no name", string(basic(":secret")), Wrong, ""},
		{"no password where there is one", string(basic("anna:")), Wrong, ""},
		{"no colon", string(basic("anna")), Wrong, ""},
		{"a NUL behind", string(basic("anna:secret\x00")), Wrong, ""},
		{"no base64", "Basic !!!!", Wrong, ""},
		{"base64 with a line end", "Basic YW5u\nYTpzZWNyZXQ=", Wrong, ""},
		{"base64 with odd bits", "Basic YW5uYTpzZWNyZXR=", Wrong, ""},
		{"endless", string(basic("anna:" + strings.Repeat("x", 10_000))), Wrong, ""},
		{"nothing", "", Missing, ""},
		{"scheme alone", "Basic ", Missing, ""},
		{"padding alone", "Basic ==", Missing, ""},
		{"another scheme", "Bearer YW5uYTpzZWNyZXQ=", Missing, ""},
		{"a scheme that begins so", "BasicYW5uYTpzZWNyZXQ=", Missing, ""},
	} {
		for range 2 { // compared, and remembered
			var p Pass
			if got := door.Check(&p, []byte(c.field), home); got != c.answer || p.User != c.user {
				t.Errorf("%s: %v of %q, want %v of %q", c.name, got, p.User, c.answer, c.user)
			}
		}
	}
	if len(door.checks)+door.waiting+len(door.waitFrom) != 0 {
		t.Error("places are not given back")
	}
}

// TestNobodysName: a name that nobody has is let in by no user's password, also by that of the user
// whose hash it is compared with.
func TestNobodysName(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret"))
	for _, name := range []string{"", "carl", "Anna", "anna "} {
		var p Pass
		if got := door.Check(&p, basic(name+":secret"), home); got != Wrong || p.User != "" {
			t.Errorf("%q: %v of %q", name, got, p.User)
		}
	}
}

// TestPassIsOneHash: who shows the same again takes neither a comparison, nor the look-up that other
// connections share, nor memory; who shows something else is looked at anew.
func TestPassIsOneHash(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret", "bert:other"))
	var p Pass
	field := basic("anna:secret")
	if answer := door.Check(&p, field, home); answer != Known {
		t.Fatal(answer)
	}
	door.mu.Lock() // a look-up would wait for it
	allocations := testing.AllocsPerRun(100, func() {
		if answer := door.Check(&p, field, home); answer != Known {
			t.Fatal(answer)
		}
	})
	door.mu.Unlock()
	if allocations > 0 && !raced.Enabled { // whose pools lose some
		t.Errorf("%v allocations", allocations)
	}
	if answer := door.Check(&p, basic("anna:wrong"), home); answer != Wrong || p.User != "anna" {
		t.Errorf("%v, %q", answer, p.User)
	}
	if answer := door.Check(&p, basic("bert:other"), home); answer != Known || p.User != "bert" {
		t.Errorf("%v, %q", answer, p.User)
	}
}

// hold makes all comparisons wait until the returned function is called.
func (d *Door) hold() (release func()) {
	for range cap(d.turns) {
		d.turns <- struct{}{}
	}
	return func() {
		for range cap(d.turns) {
			<-d.turns
		}
	}
}

// TestOneComparisonForMany: the connections of a browser that come at once with one credential cost
// one comparison.
func TestOneComparisonForMany(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret"))
	release := door.hold()
	var clients sync.WaitGroup
	for range 30 {
		clients.Go(func() {
			if answer := door.Check(&Pass{}, basic("anna:secret"), home); answer != Known {
				t.Error(answer)
			}
		})
	}
	untilWaiting(t, door, 1)
	release()
	clients.Wait()
	if door.good.Len() != 1 || door.waiting != 0 {
		t.Errorf("%d remembered, %d wait", door.good.Len(), door.waiting)
	}
}

// TestFloodOfOneCredential: a flood that shows one wrong credential waits in few connections.
func TestFloodOfOneCredential(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret"))
	release := door.hold()
	answers := make(chan Answer, 2*waitWith)
	for range 2 * waitWith {
		go func() { answers <- door.Check(&Pass{}, basic("anna:wrong"), home) }()
	}
	for range waitWith {
		if answer := <-answers; answer != Crowded {
			t.Errorf("%v", answer)
		}
	}
	release()
	for range waitWith {
		if answer := <-answers; answer != Wrong {
			t.Errorf("%v", answer)
		}
	}
}

// untilWaiting waits until n comparisons wait.
func untilWaiting(t *testing.T, d *Door, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		waiting := d.waiting
		d.mu.Unlock()
		if waiting == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d wait, want %d", waiting, n)
		}
	}
}

// TestFlood: wrong passwords take the places of their own address, and in the end all places; who
// is known passes all the same, and who finds no place is told so at once.
func TestFlood(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret", "bert:other"))
	if answer := door.Check(&Pass{}, basic("anna:secret"), home); answer != Known {
		t.Fatal(answer)
	}
	release := door.hold()
	var flood sync.WaitGroup
	try := func(from netip.Addr, i int) {
		flood.Go(func() { door.Check(&Pass{}, basic(fmt.Sprint("anna:", from, i)), from) })
	}
	for i := range waitEach {
		try(home, i)
	}
	untilWaiting(t, door, waitEach)
	if answer := door.Check(&Pass{}, basic("anna:more"), home); answer != Crowded {
		t.Errorf("one more from that address: %v", answer)
	}
	mapped := netip.AddrFrom16(home.As16())
	if answer := door.Check(&Pass{}, basic("anna:more"), mapped); answer != Crowded {
		t.Errorf("one more from that address, in IPv6: %v", answer)
	}
	for i := waitEach; i < maxWait; i++ { // two networks of IPv6 are two clients, two addresses of one are not
		try(netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x::%x", i/waitEach, i)), i)
	}
	untilWaiting(t, door, maxWait)
	if answer := door.Check(&Pass{}, basic("anna:more"), netip.MustParseAddr("192.0.2.9")); answer != Crowded {
		t.Errorf("one more from anywhere: %v", answer)
	}
	if answer := door.Check(&Pass{}, basic("anna:secret"), home); answer != Known {
		t.Errorf("who is known: %v", answer)
	}
	release()
	flood.Wait()
	if answer := door.Check(&Pass{}, basic("bert:other"), home); answer != Known {
		t.Errorf("who is new, after the flood: %v", answer)
	}
}

// TestRemembersWithinBounds: a flood of wrong passwords is remembered within bounds, and makes no
// good one forgotten.
func TestRemembersWithinBounds(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret"))
	door.Check(&Pass{}, basic("anna:secret"), home)
	for i := range maxBad + 100 {
		door.bad.Add(door.sum(fmt.Append(nil, i)), outcome{until: time.Now().Add(badFor)})
	}
	if door.bad.Len() != maxBad {
		t.Errorf("%d are remembered", door.bad.Len())
	}
	release := door.hold() // nothing can be compared
	defer release()
	if answer := door.Check(&Pass{}, basic("anna:secret"), home); answer != Known {
		t.Errorf("%v", answer)
	}
}

// TestForgets: what is remembered is not remembered for good.
func TestForgets(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret"))
	for _, pair := range []string{"anna:secret", "anna:wrong"} {
		door.Check(&Pass{}, basic(pair), home)
		shown, remembered := door.sum(encodedIn(basic(pair))), door.good
		if pair == "anna:wrong" {
			remembered = door.bad
		}
		is, ok := remembered.Get(shown)
		if !ok || time.Until(is.until) > goodFor {
			t.Fatalf("%s: %v, %v", pair, is, ok)
		}
		is.until = time.Now().Add(-time.Second)
		remembered.Add(shown, is)
		if _, known := fresh(remembered, shown); known || remembered.Len() != 0 {
			t.Errorf("%s is remembered", pair)
		}
	}
}

// TestKnownWhileItComes: a user who comes again before the time is over is known for as long again:
// nobody who is at work is compared anew in the middle of a flood.
func TestKnownWhileItComes(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret"))
	door.Check(&Pass{}, basic("anna:secret"), home)
	shown := door.sum(encodedIn(basic("anna:secret")))
	door.good.Add(shown, outcome{until: time.Now().Add(time.Minute)})
	if answer := door.Check(&Pass{}, basic("anna:secret"), home); answer != Known {
		t.Errorf("%v", answer)
	}
	if is, _ := door.good.Get(shown); time.Until(is.until) < goodFor-time.Minute {
		t.Errorf("known for %v", time.Until(is.until))
	}
}

// TestUnknownNamesAreCompared: a name that nobody has is compared like any other, always with the
// same hash, so that its time tells nothing; and nobody gets in by it.
func TestUnknownNamesAreCompared(t *testing.T) {
	door := NewDoor(usersOf(t, "anna:secret", "bert:secret", "carl:secret"))
	chosen := map[int]bool{}
	for i := range 100 {
		name := fmt.Sprint("nobody", i)
		user, known := door.userOf(name)
		again, _ := door.userOf(name)
		if known || user != again || user < 0 || user > 2 {
			t.Fatalf("%s: %d, then %d, %v", name, user, again, known)
		}
		chosen[user] = true
	}
	if len(chosen) != 3 {
		t.Errorf("the costs of all users are to be seen, and these are: %v", chosen)
	}
	if answer, _ := door.compare(credential{"nobody", "secret"}); answer != Wrong {
		t.Error("nobody gets in")
	}
}

// TestNameIn: what a log has of a name is short and printable, and no password.
func TestNameIn(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{string(basic("anna:secret")), "anna"},
		{string(basic("J\xfcrgen:secret")), "Jürgen"},
		{string(basic(strings.Repeat("ä", 1000) + ":x")), strings.Repeat("ä", 40)},
		{string(basic("a\u202eb\"\\:x")), `a?b"\`},
		{string(basic("secret")), ""},
		{string(basic("a\nb:secret")), ""},
		{"Bearer secret", ""},
		{"", ""},
	} {
		if got := NameIn([]byte(c.field)); got != c.want {
			t.Errorf("%q: %q, want %q", c.field, got, c.want)
		}
	}
}

// FuzzCheck: whatever is sent, nobody gets in who is none, and nothing stays behind.
func FuzzCheck(f *testing.F) {
	door := NewDoor(usersOf(f, "anna:secret"))
	f.Add([]byte("Basic YW5uYTpzZWNyZXQ="))
	f.Add([]byte("basic\t=YW5u"))
	f.Fuzz(func(t *testing.T, field []byte) {
		var p Pass
		answer := door.Check(&p, field, home)
		c, ok := parse(encodedIn(field))
		is := ok && c.name == "anna" && c.password == "secret"
		if (answer == Known) != is || (p.User == "anna") != is || len(NameIn(field)) > 4*maxNameTold {
			t.Errorf("%q: %v, %q", field, answer, p.User)
		}
	})
}

// BenchmarkPass is what a request costs on a connection whose user is known.
func BenchmarkPass(b *testing.B) {
	door := NewDoor(usersOf(b, "anna:secret"))
	var p Pass
	field := basic("anna:secret")
	door.Check(&p, field, home)
	b.ReportAllocs()
	for b.Loop() {
		if door.Check(&p, field, home) != Known {
			b.Fatal("not known")
		}
	}
}
