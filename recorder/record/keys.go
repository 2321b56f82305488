package record

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"warcorder/canon"
	"warcorder/store"
)

// KeysConfig says which keys captures get beside the URL key.
type KeysConfig struct {
	Extra    []string     // secondary keys to make and store for each capture: path, wwwoffle, form
	Profiles ProfileRules // for the key path
}

// ProfileRules are the path profiles of the configuration, the first that matches a URL first.
type ProfileRules []ProfileRule

// ProfileRule gives the URLs of some hosts a path profile: one that canon knows by its name, or one
// of its own, by the characters to decode and to encode, in hexadecimal (seed: URI path
// normalization).
type ProfileRule struct {
	Name   string   `json:"name"`   // of a known profile if neither Decode nor Encode is there
	Host   string   `json:"host"`   // pattern: *.wikipedia.org
	Path   string   `json:"path"`   // prefix of the path; "" is all of the host
	Decode []string `json:"decode"` // "3A", "2F"
	Encode []string `json:"encode"`
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

func (rule *ProfileRule) profile() (canon.Profile, error) {
	if len(rule.Decode)+len(rule.Encode) > 0 {
		return canon.NewProfile(rule.Name, strings.Join(rule.Decode, " "), strings.Join(rule.Encode, " "))
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
	extra    map[store.Key]bool
	profiles canon.Profiles
}

// NewKeyer returns what the configuration asks for, or an error that names the key.
func NewKeyer(cfg KeysConfig) (*Keyer, error) {
	k := &Keyer{extra: map[store.Key]bool{}}
	for _, name := range cfg.Extra {
		switch key := store.Key(name); key {
		case store.PathKey, store.WWWOFFLEKey, store.FormKey:
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
func KeySize(c *store.Capture) int64 {
	return int64(
		len(c.RequestBody) + len(c.SpecBody) + len(c.WarcioJSBody) + len(c.PathKey) + len(
			c.WWWOFFLEKey) + len(
			c.FormKey,
		),
	)
}

// Of returns the secondary key of a URL, in any spelling that would be recorded the same: its
// normal form under its path profile, its WWWOFFLE form, or the data set in its query.
func (k *Keyer) Of(key store.Key, url string) string { return k.of(key, TargetURI(url)) }

// of is Of for a URL as it is recorded.
func (k *Keyer) of(key store.Key, url string) string {
	switch key {
	case store.PathKey:
		return k.profiles.URL(url)
	case store.WWWOFFLEKey:
		form, _ := canon.WWWOFFLE(url)
		return form
	case store.FormKey:
		_, query, _ := strings.Cut(url, "?")
		return canon.FormKey(query)
	}
	surt, _ := canon.SURT(url)
	return surt
}

// Fill sets the keys of a capture whose URL and method are set. The zero asked is a GET. It is
// false for a body that asks for so much work that it counts as binary.
func (k *Keyer) Fill(c *store.Capture, from *Asked) (within bool) {
	within = true
	if c.Method == "" {
		c.URLKey, _ = canon.SURT(c.URL)
	} else {
		body := from.Entity
		r := canon.Request{URL: c.URL, Method: c.Method, ContentType: from.ContentType, Body: body.Start, BodyLen: body.length, BodySHA256: body.sha256}
		keys := canon.Pywb.Keys(&r)
		c.URLKey, c.RequestBody = keys.URLKey, keys.RequestBody
		c.SpecBody, within = canon.Spec.QueryWithin(&r)
		c.WarcioJSBody = canon.WarcioJS.Query(&r)
		within = within && keys.Within
	}
	if k.extra[store.PathKey] {
		c.PathKey = k.of(store.PathKey, c.URL)
	}
	if k.extra[store.WWWOFFLEKey] {
		c.WWWOFFLEKey = k.of(store.WWWOFFLEKey, c.URL)
	}
	if k.extra[store.FormKey] {
		c.FormKey = k.formKey(c, from)
	}
	return within
}

// formKey is the key of an urlencoded body, else that of the query.
func (k *Keyer) formKey(c *store.Capture, from *Asked) string {
	mime, _, _ := strings.Cut(from.ContentType, ";")
	if body := &from.Entity; body.length > 0 && body.length == int64(len(body.Start)) &&
		strings.EqualFold(strings.TrimSpace(mime), "application/x-www-form-urlencoded") {
		return canon.FormKey(string(body.Start))
	}
	return k.of(store.FormKey, c.URL)
}

// Asked is what the keys of a capture depend on beside the URL: a request as its record holds it.
type Asked struct {
	Method      []byte
	ContentType string
	Entity      entity // of what is not GET
}

// AskedOf reads a request whose body, of size bytes as it crossed the wire, follows its head in
// body.
func AskedOf(h *Head, body io.Reader, size int64) (*Asked, error) {
	a := &Asked{Method: h.Method()}
	if len(a.Method) == 0 || string(a.Method) == "GET" {
		return a, nil
	}
	a.ContentType = Text(h.ContentType)
	err := a.Entity.read(body, size, h.Chunked)
	return a, err
}

// entity is a request's body without its transfer coding: all of it up to canon.MaxBody, of a
// longer one the beginning and the digest of all.
type entity struct {
	Start  []byte
	length int64
	sha256 []byte
	broken bool // its chunks end before the last one
}

// read reads the entity from a body as it crossed the wire. Of one that breaks off it is what came;
// the error is that of the storage.
func (e *entity) read(body io.Reader, size int64, chunked bool) error {
	wire := &source{r: body}
	decoded := io.Reader(wire)
	limit := min(size, canon.MaxBody+1)
	switch {
	case chunked:
		decoded = &dechunked{r: wire}
	case size > canon.MaxBody:
		limit = longStart // it is long in any case
	}
	var start bytes.Buffer
	if chunked { // whose length is not known
		start.Grow(int(min(limit, longStart)) + bytes.MinRead)
	} else {
		start.Grow(int(limit) + bytes.MinRead)
	}
	n, err := io.Copy(&start, io.LimitReader(decoded, limit)) // a broken chunk ends the entity
	e.Start, e.length = start.Bytes(), n
	if n == limit && size > canon.MaxBody {
		sum := sha256.New()
		sum.Write(e.Start)
		var more int64
		more, err = io.Copy(sum, decoded)
		e.Start, e.length, e.sha256 = slices.Clone(e.Start[:longStart]), n+more, sum.Sum(nil)
	}
	e.broken = err != nil && wire.err == nil
	return wire.err
}

// longStart is more of an entity than the keys need that is longer than canon.MaxBody.
const longStart = 64 << 10

// source remembers an error of the storage, which is none of the body's.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
