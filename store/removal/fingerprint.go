package removal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// fingerprint is the same for two plans that change the same in the same files, and take the same
// away beside them.
func (p *Plan) fingerprint() string {
	sum := sha256.New()
	for _, w := range p.work {
		fmt.Fprintf(sum, "%q\n", w.Name)
		for i := range w.edits {
			e := &w.edits[i]
			fmt.Fprintln(sum, e.from, e.to, e.turn != nil)
		}
	}
	fmt.Fprintf(sum, "%q", p.Rest)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
