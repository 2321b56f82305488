// Package environment is what leads the programs of a command through a recorder, and has them trust
// its certificate, with nothing changed on the system: variables, and files that these name, in a
// folder that goes with the command. Start with [Make].
//
// Invariant: what a program had is still there. A file of ours that takes another's place begins
// with all that is in that one, and options that a user has set are kept before ours. Only proxies,
// and hosts to be reached without one, are replaced.
package environment

import (
	"runtime"
	"slices"
	"strings"
)

// Proxy is what programs are led through.
type Proxy struct {
	Address string // host:port
	CA      []byte // what they have to trust, PEM
}

// url is the proxy as programs take it: those that know no socks take http for everything.
func (p Proxy) url() string { return "http://" + p.Address }

// Environment is that of a command.
type Environment struct {
	Variables []string // all of them, NAME=value
	Remarks   []string // what its user should know
}

// Make writes the files into a folder, and returns the environment of a command whose programs are
// led through the proxy: what is inherited, and ours.
func Make(folder string, proxy Proxy, inherited []string) (*Environment, error) {
	m := &maker{
		folder:    folder,
		proxy:     proxy,
		inherited: inherited,
		bundles:   map[string]string{},
	}
	set := slices.Clone(inherited)
	for _, v := range variables {
		if value := v.value(m, v.name); value != "" || v.empty {
			set = append(set, v.name+"="+value)
		}
	}
	return &Environment{Variables: set, Remarks: m.remarks}, m.err
}

// maker makes values and files. After an error it makes no more files.
type maker struct {
	folder    string
	proxy     Proxy
	inherited []string
	bundles   map[string]string // file of ours by the one whose place it takes
	remarks   []string
	err       error
}

// get returns a variable that is inherited. Of two, the later one counts, as it does for programs.
func (m *maker) get(name string) string { return lookup(m.inherited, name) }

func lookup(variables []string, name string) string {
	for _, variable := range slices.Backward(variables) {
		of, value, _ := strings.Cut(variable, "=")
		if of == name || runtime.GOOS == "windows" && strings.EqualFold(of, name) {
			return value
		}
	}
	return ""
}

func (m *maker) remark(text string) {
	if !slices.Contains(m.remarks, text) {
		m.remarks = append(m.remarks, text)
	}
}
