package reach

import (
	"fmt"
	"net/netip"
	"strings"
)

// Denial is why a host may not be reached, as an error. Its text says what to set, for whom it is
// wrong.
type Denial struct {
	host    string
	address netip.Addr // none: by its name
	rule    string     // of the setting deny; "" is what is denied by itself
	side    side       // of the name, if that is why; else other machines use the proxy
}

func (d *Denial) Error() string {
	switch {
	case d.rule != "":
		return fmt.Sprintf("warcorder may not connect to %s: the setting deny has %q. If it is to be "+
			"reached all the same, start with --allow=%s.", d.place(), d.rule, d.remedy())
	case d.side == outside:
		return fmt.Sprintf("warcorder may not connect to %s: the name leads to public addresses too, "+
			"as with a page that wants to look into this network (DNS rebinding). If it is to be "+
			"reached all the same, start with --allow=%s.", d.place(), d.remedy())
	case d.side == inside:
		return fmt.Sprintf("warcorder may not connect to %s: the name has led into this network "+
			"before, as with a page that wants to look into it (DNS rebinding). Start warcorder anew, or, "+
			"if the name is to lead to both, with --allow=%s.", d.place(), d.remedy())
	case d.side == crowded:
		return fmt.Sprintf("warcorder may not connect to %s: too many names have led into this "+
			"network. Start warcorder anew, or with --allow=%s.", d.place(), d.remedy())
	}
	return fmt.Sprintf("warcorder may not connect to %s: other machines use this proxy, and to them "+
		"the machine itself and private networks are closed. If it is to be reached all the same, "+
		"start with --allow=%s.", d.place(), d.remedy())
}

// place names what is denied.
func (d *Denial) place() string {
	if !d.address.IsValid() || d.address.String() == d.host {
		return d.host
	}
	return fmt.Sprintf("%s (%s)", d.host, d.address)
}

// remedy is what to allow: the least that helps. A page may have made up the host, for somebody to
// paste it into a shell ("a;reboot;.test"): then it is for that person to write.
func (d *Denial) remedy() string {
	if address, literal := addressOf(d.host); literal {
		return address.WithZone("").String()
	}
	if strings.ContainsFunc(d.host, isOdd) {
		return "HOST"
	}
	return d.host
}

// isOdd reports what of ASCII is in no host's name, in lower case.
func isOdd(r rune) bool {
	return r < 0x80 && !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_.", r)
}
