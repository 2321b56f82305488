package access

import (
	"testing"
	"time"
)

// TestDoorFor: a door for other users knows those with the same password without a comparison, on a
// connection that is open and on a new one; whoever is gone, or has another password, it does not
// know.
func TestDoorFor(t *testing.T) {
	same := usersOf(t, "anna:secret")
	before, err := same.With(usersOf(t, "bert:other", "carl:third"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := usersOf(t, "carl:changed").With(same)
	if err != nil {
		t.Fatal(err)
	}
	door := NewDoor(before)
	passes := map[string]*Pass{"anna:secret": {}, "bert:other": {}, "carl:third": {}}
	for pair, pass := range passes {
		if answer := door.Check(pass, basic(pair), home); answer != Known {
			t.Fatalf("%s: %v", pair, answer)
		}
	}
	wrong := basic("carl:changed")
	if answer := door.Check(new(Pass), wrong, home); answer != Wrong {
		t.Fatal(answer)
	}
	next := door.For(after)
	for range cap(next.turns) { // nothing can be compared
		next.turns <- struct{}{}
	}
	if _, known := fresh(next.good, next.sum(encodedIn(basic("anna:secret")))); !known ||
		next.Check(new(Pass), basic("anna:secret"), home) != Known {
		t.Error("who is there still is to be compared")
	}
	for range cap(next.turns) {
		<-next.turns
	}
	for pair, pass := range passes {
		isThere := pair == "anna:secret"
		if next.Knows(pass) != isThere {
			t.Errorf("%s is known: %t", pair, !isThere)
		}
		next.Renew(pass)
		if answer := next.Check(pass, basic(pair), home); (answer == Known) != isThere {
			t.Errorf("%s: %v", pair, answer)
		}
	}
	if answer := next.Check(new(Pass), wrong, home); answer != Known {
		t.Errorf("what was wrong, and is right: %v", answer)
	}
}

// TestDoorForNobody: where nobody is asked there is no door, and what was remembered too long ago is
// forgotten.
func TestDoorForNobody(t *testing.T) {
	users := usersOf(t, "anna:secret")
	var none *Door
	if NewDoor(Users{}) != nil || NewDoor(users).For(Users{}) != nil || none.For(Users{}) != nil {
		t.Error("there is a door for nobody")
	}
	door := none.For(users)
	shown := door.sum(encodedIn(basic("anna:secret")))
	door.good.Add(shown, outcome{until: time.Now().Add(-time.Second)})
	if door.For(users).good.Len() != 0 {
		t.Error("what is too old is remembered")
	}
}
