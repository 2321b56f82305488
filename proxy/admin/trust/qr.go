package trust

import (
	"fmt"
	"html/template"
	"strings"

	"rsc.io/qr"
)

// quietZone is how many modules of white a reader wants around the code (ISO/IEC 18004).
const quietZone = 4

// qrCode draws a URL of ours as a QR code: black on white also where the page is dark.
func qrCode(url string) (template.HTML, error) {
	code, err := qr.Encode(url, qr.M)
	if err != nil {
		return "", fmt.Errorf("QR code: %w", err)
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			begin := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > begin {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", begin+quietZone, y+quietZone, x-begin, x-begin)
			}
		}
	}
	size := code.Size + 2*quietZone
	return template.HTML(fmt.Sprintf(`<svg class="qr" role="img" aria-label="QR code of %s" `+
		`viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%dv%dH0z"/>`+
		`<path fill="#000" d="%s"/></svg>`,
		template.HTMLEscapeString(url), size, size, size, size, path.String())), nil
}
