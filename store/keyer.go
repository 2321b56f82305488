package store

import (
	"fmt"
	"slices"
	"strings"

	"warcorder/canon"
)

// KeysConfig says which keys captures get beside the URL key.
type KeysConfig struct {
	Extra    []string     // secondary keys to make and store for each capture: path, wwwoffle, form
	Profiles ProfileRules // for the key path
}

// ProfileRules are the path profiles of the configuration, the first that matches a URL first.
type ProfileRules []ProfileRule

// ProfileRule gives the URLs of some hosts a path profile: one that canon knows by its name, or one
// of its own, by the characters to decode and to encode (URI path normalization).
type ProfileRule struct {
	Name   string   `json:"name"`   // of a known profile if neither Decode nor Encode is there
	Host   string   `json:"host"`   // pattern: *.wikipedia.org
	Path   string   `json:"path"`   // prefix of the path; "" is all of the host
	Decode []string `json:"decode"` // characters in hexadecimal: "3A", "2F"
	Encode []string `json:"encode"` // the same
}

// profiles checks the rules. The error names the key.
func (rules ProfileRules) profiles() (canon.Profiles, error) {
	var all canon.Profiles
	for i, rule := range rules {
		profile, err := rule.profile()
		if err != nil {
			return nil, fmt.Errorf("keys-profiles, entry %d: %w", i+1, err)
		}
		made, err := canon.NewRule(rule.Host, rule.Path, profile)
		if err != nil {
			return nil, fmt.Errorf("keys-profiles, entry %d: %w", i+1, err)
		}
		all = append(all, made)
	}
	return all, nil
}

// profile returns the path profile of the rule.
func (rule *ProfileRule) profile() (canon.Profile, error) {
	if len(rule.Decode)+len(rule.Encode) > 0 {
		decode, encode := strings.Join(rule.Decode, " "), strings.Join(rule.Encode, " ")
		return canon.NewProfile(rule.Name, decode, encode)
	}
	known := canon.BuiltinProfiles()
	at := slices.IndexFunc(known, func(p canon.Profile) bool { return p.Name() == rule.Name })
	if at < 0 {
		return canon.Profile{}, fmt.Errorf(
			"profile %q is none of generic, mediawiki, restbase, upload, and has neither decode nor encode",
			rule.Name)
	}
	return known[at], nil
}

// Keyer makes the keys of captures. The zero Keyer makes the URL key alone.
type Keyer struct {
	extra    map[Key]bool
	profiles canon.Profiles
}

// NewKeyer returns what the configuration asks for, or an error that names the key.
func NewKeyer(cfg KeysConfig) (*Keyer, error) {
	k := &Keyer{extra: map[Key]bool{}}
	for _, name := range cfg.Extra {
		switch key := Key(name); key {
		case PathKey, WWWOFFLEKey, FormKey:
			k.extra[key] = true
		default:
			return nil, fmt.Errorf("keys-extra: %q is none of path, wwwoffle, form", name)
		}
	}
	var err error
	k.profiles, err = cfg.Profiles.profiles()
	return k, err
}

// KeySize is about what the keys of a capture take in memory, beyond what every capture has.
func (c *Capture) KeySize() int64 {
	return int64(len(c.RequestBody) + len(c.SpecBody) + len(c.WarcioJSBody) +
		len(c.PathKey) + len(c.WWWOFFLEKey) + len(c.FormKey) + len(c.QueryKey))
}

// Of returns a key of a URL as it is recorded: its normal form under its path profile, its WWWOFFLE
// form, the data set in its query, or its SURT. The URL of a GET has no QueryKey.
func (k *Keyer) Of(key Key, url string) string {
	switch key {
	case PathKey:
		return k.profiles.URL(url)
	case WWWOFFLEKey:
		form, _ := canon.WWWOFFLE(url)
		return form
	case FormKey:
		_, query, _ := strings.Cut(url, "?")
		return canon.FormKey(query)
	case QueryKey:
		return ""
	}
	surt, _ := canon.SURT(url)
	return surt
}

// Fill sets the keys of a capture whose URL and Method are set. request says what was sent: its
// ContentType, Body, BodyLen and BodySHA256 are looked at, and only of what is not GET. Fill is
// false for a body that asks for so much work that it counts as binary.
func (k *Keyer) Fill(c *Capture, request canon.Request) (within bool) {
	within = true
	if c.Method == "" {
		c.URLKey, _ = canon.SURT(c.URL)
	} else {
		request.URL, request.Method = c.URL, c.Method
		request.SumLong()
		keys := canon.Pywb.Keys(&request)
		c.URLKey, c.RequestBody = keys.URLKey, keys.RequestBody
		c.SpecBody, within = canon.Spec.QueryWithin(&request)
		c.WarcioJSBody = canon.WarcioJS.Query(&request)
		c.QueryKey = canon.QueryKey(&request, c.RequestBody)
		within = within && keys.Within
	}
	if k.extra[PathKey] {
		c.PathKey = k.Of(PathKey, c.URL)
	}
	if k.extra[WWWOFFLEKey] {
		c.WWWOFFLEKey = k.Of(WWWOFFLEKey, c.URL)
	}
	if k.extra[FormKey] {
		c.FormKey = k.formKey(c, &request)
	}
	return within
}

// formKey is the key of an urlencoded body, else that of the query.
func (k *Keyer) formKey(c *Capture, request *canon.Request) string {
	mime, _, _ := strings.Cut(request.ContentType, ";")
	if request.BodyLen > 0 && request.BodyLen == int64(len(request.Body)) &&
		strings.EqualFold(strings.TrimSpace(mime), "application/x-www-form-urlencoded") {
		return canon.FormKey(string(request.Body))
	}
	return k.Of(FormKey, c.URL)
}
