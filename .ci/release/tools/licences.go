package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// licenceFile is the name of a file that others want to go along with what is theirs.
var licenceFile = regexp.MustCompile(
	`(?i)^(licen[cs]e|copying|copyright|notice|patents)([._-].*)?$`)

// licences writes the licences of Go, and of all modules and files of others that are linked into
// binaries. A module without one is an error: nobody may hand it on.
func licences(w io.Writer, binaries []string) error {
	needed, targets, err := linked(binaries)
	if err != nil {
		return err
	}
	parts := map[string]map[string]bool{} // the directories of packages, by module
	for _, target := range targets {
		if err := packagesOf(target, parts); err != nil {
			return err
		}
	}
	fmt.Fprint(w, "What others have made is part of warcorder, under these licences.\n")
	root := strings.TrimSpace(goEnv("GOROOT"))
	if err := write(w, "The Go programming language, "+runtime.Version(), root,
		map[string]bool{root: true}); err != nil {
		return err
	}
	for _, module := range slices.Sorted(maps.Keys(needed)) {
		dir := needed[module]
		if err := write(w, module, dir, parts[dir]); err != nil {
			return err
		}
	}
	return ownLicences(w)
}

// linked returns the modules of binaries, with their directories, and what the binaries are built for.
func linked(binaries []string) (modules map[string]string, targets []string, err error) {
	modules = map[string]string{}
	for _, path := range binaries {
		built, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, dep := range built.Deps {
			modules[dep.Path+" "+dep.Version] = ""
		}
		target := map[string]string{}
		for _, one := range built.Settings {
			target[one.Key] = one.Value
		}
		targets = append(targets, "GOOS="+target["GOOS"]+" GOARCH="+target["GOARCH"])
	}
	for module := range modules {
		if modules[module], err = dirOf(module); err != nil {
			return nil, nil, err
		}
	}
	return modules, targets, nil
}

// dirOf returns where the module cache has a module, PATH VERSION.
func dirOf(module string) (string, error) {
	out, err := output(exec.Command("go", "mod", "download", "-json",
		strings.Replace(module, " ", "@", 1)))
	if err != nil {
		return "", err
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil || found.Dir == "" {
		return "", errors.Join(fmt.Errorf("%s: not in the module cache", module), err)
	}
	return found.Dir, nil
}

// packagesOf adds the directories of all packages of other modules that a target links.
func packagesOf(target string, parts map[string]map[string]bool) error {
	cmd := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", ".")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), strings.Fields(target)...)
	out, err := output(cmd)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		module, dir, is := strings.Cut(strings.TrimSpace(line), "\t")
		if !is {
			continue
		}
		if parts[module] == nil {
			parts[module] = map[string]bool{module: true}
		}
		for ; len(dir) >= len(module); dir = filepath.Dir(dir) {
			parts[module][dir] = true
		}
	}
	return nil
}

// write writes the licence files in directories of what has that name.
func write(w io.Writer, name, root string, dirs map[string]bool) error {
	found := false
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !licenceFile.MatchString(entry.Name()) ||
				filepath.Ext(entry.Name()) == ".go" {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			inside, _ := filepath.Rel(root, filepath.Join(dir, entry.Name()))
			found = true
			one(w, name+", "+filepath.ToSlash(inside), content)
		}
	}
	if !found {
		return fmt.Errorf("%s has no licence file: it cannot be handed on", name)
	}
	return nil
}

// one writes one file.
func one(w io.Writer, title string, content []byte) {
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	fmt.Fprintf(w, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), title, bytes.TrimSpace(content))
}

// ownLicences writes those that lie beside files of others in the clone.
func ownLicences(w io.Writer) error {
	return filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(entry.Name(), ".") && path != "."; hidden && entry.IsDir() {
			return filepath.SkipDir
		}
		if !licenceFile.MatchString(entry.Name()) || !strings.Contains(path, "/vendor/") {
			return nil
		}
		content, err := os.ReadFile(path)
		one(w, path, content)
		return err
	})
}

func goEnv(name string) string {
	out, _ := exec.Command("go", "env", name).Output()
	return string(out)
}

// output runs a command; its error is what it said.
func output(cmd *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%v: %w: %s", cmd.Args, err, said.String())
	}
	return out, err
}

// settle takes out of a CycloneDX list what its maker's own build says, and gives it a time.
func settle(path string, at time.Time) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bom map[string]any
	if err := json.Unmarshal(content, &bom); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	delete(bom, "serialNumber")
	about, is := bom["metadata"].(map[string]any)
	if !is {
		return fmt.Errorf("%s has no metadata", path)
	}
	about["timestamp"] = at.Format(time.RFC3339)
	tools, _ := about["tools"].([]any)
	for _, tool := range tools {
		if tool, is := tool.(map[string]any); is {
			delete(tool, "hashes")
		}
	}
	settled, err := json.MarshalIndent(bom, "", "  ") // with sorted keys
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(settled, '\n'), fileMode)
}
