package wacz

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"
)

// resource is what datapackage.json says of an entry.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// resources are those of a package; no two have the same name.
type resources struct {
	all   []resource
	names map[string]bool
	long  int64 // bytes of names and paths
}

func (r *resources) add(name string, size int64, sum string) {
	of := resource{Name: r.unique(resourceName(name)), Path: name, Hash: "sha256:" + sum, Bytes: size}
	r.all = append(r.all, of)
	r.long += int64(len(of.Name) + 3*len(of.Path)) // here, before the entry and in the directory
}

// size is more than what all of them take in datapackage.json, as heads of entries and in the
// directory.
func (r *resources) size() int64 { return 2*r.long + 400*int64(len(r.all)+1) }

// unique returns a name that no other resource has.
func (r *resources) unique(name string) string {
	if r.names == nil {
		r.names = make(map[string]bool)
	}
	free := name
	for n := 2; r.names[free]; n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	r.names[free] = true
	return free
}

// resourceName makes the name of a resource of its path: of the characters that the standard of data
// packages allows.
func resourceName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, path.Base(name))
}

// dataPackage is datapackage.json.
type dataPackage struct {
	Profile      string     `json:"profile"`
	Version      string     `json:"wacz_version,omitempty"`
	Title        string     `json:"title,omitempty"`
	Created      string     `json:"created"`
	Software     string     `json:"software"`
	MainPageURL  string     `json:"mainPageUrl,omitempty"`
	MainPageDate *time.Time `json:"mainPageDate,omitempty"`
	Metadata     *metadata  `json:"metadata,omitempty"`
	Resources    []resource `json:"resources"`
}

// metadata is where replayweb.page looks for the title.
type metadata struct {
	Title string `json:"title"`
}

// digest is datapackage-digest.json.
type digest struct {
	Path       string      `json:"path"`
	Hash       string      `json:"hash"`
	SignedData *signedData `json:"signedData,omitempty"`
}

// signedData is an anonymous signature (WACZ Signing and Verification 0.1.0).
type signedData struct {
	Hash      string `json:"hash"`
	Created   string `json:"created"`
	Software  string `json:"software"`
	Version   string `json:"version"`
	Signature string `json:"signature"`
	PublicKey string `json:"publicKey"`
}

// writeRules writes the rules for requests that differ by chance.
func (w *Writer) writeRules() error {
	if len(w.settings.Rules) == 0 {
		return nil
	}
	out, err := w.begin("fuzzy.json")
	if err == nil {
		_, err = out.Write(w.settings.Rules)
	}
	return step("fuzzy.json", err)
}

// writePackage writes datapackage.json and its digest.
func (w *Writer) writePackage() error {
	if err := w.end(); err != nil {
		return err
	}
	p := dataPackage{
		Profile:   "data-package",
		Version:   "1.1.1",
		Title:     w.settings.Title,
		Created:   w.settings.Created.Format(time.RFC3339),
		Software:  w.settings.Software,
		Resources: w.resources.all,
	}
	if w.settings.Title != "" {
		p.Metadata = &metadata{w.settings.Title}
	}
	if w.pages.mainURL != "" {
		p.MainPageURL, p.MainPageDate = w.pages.mainURL, &w.pages.mainTime
	}
	text, err := marshal(p, "  ")
	if err != nil {
		return err
	}
	if err := w.addJSON("datapackage.json", text); err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	d := digest{Path: "datapackage.json", Hash: "sha256:" + hex.EncodeToString(sum[:])}
	if w.settings.Key != nil {
		if d.SignedData, err = sign(w.settings.Key, d.Hash, p.Created, p.Software); err != nil {
			return step("sign", err)
		}
	}
	if text, err = marshal(d, "  "); err != nil {
		return err
	}
	return w.addJSON("datapackage-digest.json", text)
}

// addJSON writes an entry that is no resource.
func (w *Writer) addJSON(name string, text []byte) error {
	out, err := w.create(name)
	if err == nil {
		_, err = out.Write(text)
	}
	return step(name, err)
}

// sign signs a hash, as it is written, by ECDSA with SHA-256. The signature is r and s, each as long
// as the order of the curve: browsers know no other form.
func sign(key *ecdsa.PrivateKey, hash, created, software string) (*signedData, error) {
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(hash))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return nil, err
	}
	long := (key.Params().BitSize + 7) / 8
	signature := append(r.FillBytes(make([]byte, long)), s.FillBytes(make([]byte, long))...)
	return &signedData{
		Hash:      hash,
		Created:   created,
		Software:  software,
		Version:   "0.1.0",
		Signature: base64.StdEncoding.EncodeToString(signature),
		PublicKey: base64.StdEncoding.EncodeToString(public),
	}, nil
}

// marshal is v in JSON, with a newline. Text stands in it as it is.
func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	err := encoder.Encode(v)
	return b.Bytes(), err
}

// appendJSON appends text as a JSON string.
func appendJSON(dst []byte, text string) []byte {
	b, err := marshal(text, "")
	if err != nil {
		panic(err) // a string has a form
	}
	return append(dst, bytes.TrimSuffix(b, []byte("\n"))...)
}
