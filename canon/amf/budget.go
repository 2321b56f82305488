package amf

// maxNesting is how deep values may lie in each other, maxValues how many there may be in an
// envelope, together with the names of fields: a null takes a byte there and much more in memory.
const (
	maxNesting = 200
	maxValues  = 1 << 18
)

// budget is how many steps are left.
type budget struct{ left int }

// spend takes steps. It is false once there are none left.
func (b *budget) spend(steps int) bool {
	b.left -= min(steps, b.left+1)
	return !b.spent()
}

// exhaust leaves nothing.
func (b *budget) exhaust() { b.left = -1 }

func (b *budget) spent() bool { return b.left < 0 }
