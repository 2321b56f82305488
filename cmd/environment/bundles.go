package environment

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// maxRoots bounds what is read of a file or a folder with certificates: a system has 250 KB of them.
const maxRoots = 16 << 20

// bundle returns a file in which ours follows the roots that programs had: those of the variable,
// else those that the system or an institution has set for all, else the system's.
func bundle(m *maker, name string) string {
	for _, of := range []string{name, "SSL_CERT_FILE"} {
		base := m.get(of)
		if base == "" {
			continue
		}
		file, err := m.bundleOf(base)
		if err == nil {
			return file
		}
		m.remark(fmt.Sprintf("%s is %s, of which no certificates can be read (%v): the system's count "+
			"in its place", of, base, err))
	}
	file, _ := m.bundleOf("")
	return file
}

// extra returns a file that programs read beside their own roots: what they have of that kind, and
// ours.
func extra(m *maker, name string) string {
	base := m.get(name)
	if base == "" {
		return m.write("warcorder.pem", m.proxy.CA)
	}
	file, err := m.bundleOf(base)
	if err != nil {
		return m.write("warcorder.pem", m.proxy.CA)
	}
	return file
}

// bundleOf returns the file that takes a base's place, "" being the system's roots.
func (m *maker) bundleOf(base string) (string, error) {
	if file, ok := m.bundles[base]; ok {
		return file, nil
	}
	roots, err := m.roots(base)
	if err != nil {
		return "", err
	}
	name := "roots.pem"
	if n := len(m.bundles); n > 0 {
		name = "roots-" + strconv.Itoa(n+1) + ".pem"
	}
	m.bundles[base] = m.write(name, joined(roots, m.proxy.CA))
	return m.bundles[base], nil
}

// roots reads those of a base. A system may have none that can be read: all that goes through the
// proxy needs ours alone.
func (m *maker) roots(base string) ([]byte, error) {
	if base != "" {
		return readRoots(base)
	}
	return systemRoots(), nil
}

// joined puts one text behind another, on a line of its own.
func joined(first, second []byte) []byte {
	if len(first) > 0 && !bytes.HasSuffix(first, []byte("\n")) {
		first = append(first, '\n')
	}
	return append(first, second...)
}

// write writes a file into the folder and returns its path.
func (m *maker) write(name string, text []byte) string {
	path := filepath.Join(m.folder, name)
	if m.err == nil {
		m.err = os.WriteFile(path, text, 0o600)
	}
	return path
}

// readRoots reads the certificates at a path: a file, as it is, or all in a folder, as OpenSSL's
// hashed ones are.
func readRoots(path string) ([]byte, error) {
	at, err := os.Stat(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	if at.IsDir() {
		return readFolder(path)
	}
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(text, []byte("-----BEGIN ")) {
		return nil, errors.New("none in it")
	}
	return text, nil
}

// readFolder reads the certificates of all files in a folder, each once: a folder has links to the
// same file by name and by hash.
func readFolder(path string) ([]byte, error) {
	files, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var all []byte
	known := map[string]bool{}
	for _, file := range files {
		text, err := readFile(filepath.Join(path, file.Name()))
		if err != nil || len(all)+len(text) > maxRoots {
			continue
		}
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			if block.Type == "CERTIFICATE" && !known[string(block.Bytes)] {
				known[string(block.Bytes)] = true
				all = append(all, pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes})...)
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("none in it")
	}
	return all, nil
}

// readFile reads a file that is one, and no pipe or device, and not too long.
func readFile(path string) ([]byte, error) {
	at, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !at.Mode().IsRegular() || at.Size() > maxRoots {
		return nil, errors.New("no file of certificates")
	}
	return os.ReadFile(path)
}
