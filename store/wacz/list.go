package wacz

import (
	"io"
	"time"
)

// Named is a part with the name of its file.
type Named struct {
	Part
	File string // without a directory: the list lies beside its parts
}

// WriteList writes the JSON that lists the parts of one WACZ (a "multi-WACZ"), by which readers open
// them as one. Each of them must have its Hash.
func WriteList(w io.Writer, s Settings, parts []Named) error {
	p := dataPackage{
		Profile:   "multi-wacz-package",
		Title:     s.Title,
		Created:   s.Created.UTC().Format(time.RFC3339),
		Software:  s.Software,
		Resources: []resource{},
	}
	var names resources
	for _, part := range parts {
		p.Resources = append(p.Resources, resource{
			Name:  names.unique(resourceName(part.File)),
			Path:  part.File,
			Hash:  part.Hash,
			Bytes: part.Bytes,
		})
	}
	text, err := marshal(p, "  ")
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}
