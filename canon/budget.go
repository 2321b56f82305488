package canon

// What the work on a body may come to beyond reading it once: bytes of text that it is
// turned into, values that are visited. Only Action Message Format, in which values refer
// to others and may hold themselves, asks for more than a fixed multiple of its length.
const (
	stepsPerByte = 32
	stepsAnyway  = 1 << 20
)

// budget is what is left of the work that a body may make. It is counted in steps and not
// in time, so that a body has the same keys on any machine, however busy that is.
type budget struct{ left int }

func budgetOf(body []byte) budget { return budget{stepsAnyway + stepsPerByte*len(body)} }

// spend takes steps. It is false once there are none left.
func (b *budget) spend(steps int) bool {
	b.left -= min(steps, b.left+1)
	return !b.spent()
}

// spent reports whether the body asked for more than there was.
func (b *budget) spent() bool { return b.left < 0 }
