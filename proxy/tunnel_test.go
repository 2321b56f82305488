package proxy

import (
	"io"
	"strings"
	"testing"
)

// TestUpgrade: the handshake is recorded, then bytes pass both ways, those included that follow a
// head at once. The log says so in the words that monitors look for.
func TestUpgrade(t *testing.T) {
	handshake := text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade")
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(handshake + "early from the origin")
			io.Copy(o.conn, o.in) // echo
		})
		client, prefix := h.to(o, secure)
		request := text("GET "+prefix+"/ws HTTP/1.1", "Host: a", "Upgrade: echo", "Connection: Upgrade")
		client.send(request + "early from the client")
		if got := client.readHead(); got != handshake {
			t.Errorf("%q", got)
		}
		if got := client.readN(42); got != "early from the originearly from the client" {
			t.Errorf("%q", got)
		}
		client.send("and later")
		if got := client.readN(9); got != "and later" {
			t.Errorf("%q", got)
		}
		client.conn.Close()
		all := h.records()
		if r := of(all, "response"); len(r) != 1 || string(r[0].block) != handshake {
			t.Errorf("response: %q", r)
		}
		if r := of(all, "request"); len(r) != 1 ||
			!strings.HasSuffix(string(r[0].block), "Connection: Upgrade\r\n\r\n") {
			t.Errorf("request: %q", r)
		}
		said := `"message":"upgraded: the handshake is recorded, what follows passes unrecorded"`
		if log := h.log.String(); strings.Count(log, said) != 1 {
			t.Errorf("%s", log)
		}
	})
}
