package environment

import (
	_ "embed"
	"encoding/json"
	"net"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed preload.cjs
var preload []byte

// node returns options for every Node.js that starts: those that are inherited, and our preload.
func node(m *maker, name string) string {
	host, port, err := net.SplitHostPort(m.proxy.Address)
	if err == nil {
		err = m.writeSettings(host, port)
	}
	if err != nil {
		m.err = err
		return ""
	}
	return strings.TrimSpace(m.get(name) + " --require " + nodeWord(m.write("preload.cjs", preload)))
}

// writeSettings writes what the files for Node.js and Python have to know.
func (m *maker) writeSettings(host, port string) error {
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	flags, err := m.chromiumFlags()
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"host": host, "port": number, "flags": flags})
	m.write("proxy.json", text)
	return err
}

// nodeWord quotes a path for NODE_OPTIONS, in which a backslash would be one of a quotation.
func nodeWord(path string) string {
	path = filepath.ToSlash(path)
	if !strings.ContainsAny(path, " \"") {
		return path
	}
	return `"` + strings.ReplaceAll(path, `"`, `\"`) + `"`
}
