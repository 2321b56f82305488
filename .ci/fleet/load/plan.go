package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// plan is what clients ask for: of count exchanges the share repeats has a body that came earlier,
// at least apart exchanges before, half of these at the URL of that time and half at another.
type plan struct {
	seed      uint64
	count     int
	recorders int
	repeats   float64
	apart     int
	large     int    // one body in so many has a size of 1 to 4 MiB; 0 is none
	plain     string // the origin's address of http, and of https
	secure    string
}

// exchange is one of a plan.
type exchange struct {
	number   int
	url      string
	recorder int
	body     body
}

// body is told by its name: whoever has that has its bytes.
type body struct {
	id   uint64
	size int
}

func (b body) String() string { return fmt.Sprintf("%016x-%d", b.id, b.size) }

// all makes the exchanges of the plan.
func (p plan) all() []exchange {
	dice := rand.New(rand.NewPCG(p.seed, 1))
	var made, originals []exchange
	ripe := 0 // so many originals are old enough to be repeated
	for number := range p.count {
		for ripe < len(originals) && originals[ripe].number <= number-p.apart {
			ripe++
		}
		one := exchange{number: number, recorder: dice.IntN(p.recorders)}
		if ripe > 0 && dice.Float64() < p.chance() {
			again := originals[dice.IntN(ripe)]
			one.body, one.url = again.body, again.url
			if dice.IntN(2) == 0 {
				one.url = p.url(one)
			}
		} else {
			one.body = body{dice.Uint64(), p.size(dice)}
			one.url = p.url(one)
			originals = append(originals, one)
		}
		made = append(made, one)
	}
	return made
}

// chance makes up for the beginning, where nothing can be repeated.
func (p plan) chance() float64 {
	return p.repeats * float64(p.count) / float64(max(1, p.count-p.apart))
}

// size is from 1 to 64 KiB, each doubling as often as the others, but for the large.
func (p plan) size(dice *rand.Rand) int {
	if p.large > 0 && dice.IntN(p.large) == 0 {
		return 1<<20 + dice.IntN(3<<20)
	}
	return int(1024 * math.Exp2(6*dice.Float64()))
}

func (p plan) url(one exchange) string {
	scheme, host := "http", p.plain
	if one.number%2 == 1 {
		scheme, host = "https", p.secure
	}
	return fmt.Sprintf("%s://%s/%d/%s/%d", scheme, host, p.seed, one.body, one.number)
}
