package reach

import (
	"fmt"
	"net/netip"
)

// Denial is why a host may not be reached, as an error. Its text says what to set, for whom it is
// wrong.
type Denial struct {
	host    string
	address netip.Addr // none: by its name
	rule    string     // of the setting deny; "" is what is denied by itself
	rebound bool       // by itself, and not because other machines use the proxy
}

func (d *Denial) Error() string {
	switch {
	case d.rule != "":
		return fmt.Sprintf("warcorder may not connect to %s: the setting deny has %q. If it is to be "+
			"reached all the same, start with --allow=%s.", d.place(), d.rule, d.remedy())
	case d.rebound:
		return fmt.Sprintf("warcorder may not connect to %s: the name leads to public addresses too, "+
			"as with a page that wants to look into this network (DNS rebinding). If it is to be "+
			"reached all the same, start with --allow=%s.", d.place(), d.host)
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

// remedy is what to allow: the least that helps.
func (d *Denial) remedy() string {
	if address, literal := addressOf(d.host); literal {
		return address.WithZone("").String()
	}
	return d.host
}
