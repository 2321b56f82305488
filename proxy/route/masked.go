package route

// Masked are the rules as Parse reads them, each with mask in the place of what a parent asks for: a
// user may be as good as a password. isMasked reports that there is one.
func (r Routes) Masked(mask string) (rules []string, isMasked bool) {
	for _, rule := range r.rules {
		if rule.environment != nil {
			continue
		}
		text := ""
		if !rule.pattern.All {
			text = rule.pattern.String() + "="
		}
		way, hidden := rule.way.masked(mask)
		rules, isMasked = append(rules, text+way), isMasked || hidden
	}
	return rules, isMasked
}

func (w *Way) masked(mask string) (text string, isMasked bool) {
	if w == nil {
		return w.String(), false
	}
	for i, hop := range w.hops {
		if i > 0 {
			text += " "
		}
		text += hop.scheme + "://"
		if hop.asks {
			text, isMasked = text+mask+"@", true
		}
		text += hop.address()
	}
	return text, isMasked
}
