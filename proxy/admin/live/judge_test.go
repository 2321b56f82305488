package live

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// faultsOf says what is wrong with the assets below a directory: links that are absolute, scripts
// and styles that are not files of their own, modules and styles that are not there, templates that
// are not those of html.js, which keep nothing, and what would make a script of a text. What others
// have made, below vendor/, is held against its package alone.
func faultsOf(files fs.FS) (faults []string) {
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(name, "vendor/") {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, fault := range faultsIn(files, name, content) {
			faults = append(faults, name+": "+fault)
		}
		return nil
	})
	if err != nil {
		faults = append(faults, err.Error())
	}
	return faults
}

func faultsIn(files fs.FS, name string, content []byte) []string {
	switch path.Ext(name) {
	case ".html", ".svg":
		return faultsOfMarkup(files, content)
	case ".js":
		return faultsOfModule(files, name, string(content))
	case ".css":
		return faultsOfText(string(content), absoluteCSS)
	case ".png":
		return nil
	}
	return []string{"nothing of this kind is served"}
}

// names are those of namespaces, which nobody asks for.
var names = regexp.MustCompile(`http://www\.w3\.org/[0-9a-zA-Z/]+`)

var (
	// a text that begins with a slash or has a scheme leads elsewhere, whatever it is for
	absolute = regexp.MustCompile("[\"'`]/[^*\\s\"'`][^\"'`\\s]*|(?i)\\b(https?|wss?|data|blob|javascript):[^\\s,]*")

	absoluteCSS = regexp.MustCompile(`(?i)@import[^;]*|url\(\s*["']?(/|[a-z]+:)[^)]*|https?:[^;]*`)

	// what would have a text be read as markup or as a script
	sinks = regexp.MustCompile(`\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|` +
		`document\.write|srcdoc|eval|DOMParser|createContextualFragment)\b|\bnew Function\b`)

	imports = regexp.MustCompile(`(?m)(?:^|[\s;}])(?:from|import)\s*\(?\s*["']([^"']*)["']`)
)

func faultsOfText(text string, wrong ...*regexp.Regexp) (faults []string) {
	text = names.ReplaceAllString(text, "")
	for _, each := range wrong {
		for _, found := range each.FindAllString(text, -1) {
			faults = append(faults, fmt.Sprintf("has %.60q", found))
		}
	}
	return faults
}

func faultsOfModule(files fs.FS, name, text string) []string {
	faults := faultsOfText(text, absolute, sinks)
	for _, found := range imports.FindAllStringSubmatch(text, -1) {
		imported := found[1]
		if !strings.HasPrefix(imported, "./") && !strings.HasPrefix(imported, "../") {
			faults = append(faults, fmt.Sprintf("imports %q, which is not beside it", imported))
			continue
		}
		if strings.HasPrefix(imported, "./vendor/") && name != "html.js" {
			faults = append(faults, fmt.Sprintf("imports %q, not ./html.js", imported))
		}
		if _, err := fs.Stat(files, path.Join(path.Dir(name), imported)); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// faultsOfMarkup judges HTML and SVG.
func faultsOfMarkup(files fs.FS, content []byte) (faults []string) {
	in := html.NewTokenizer(bytes.NewReader(content))
	for script := false; ; {
		kind := in.Next()
		if kind == html.ErrorToken {
			return faults
		}
		token := in.Token()
		if script && kind == html.TextToken && strings.TrimSpace(token.Data) != "" {
			faults = append(faults, "has a script in it")
		}
		script = kind == html.StartTagToken && token.Data == "script"
		if token.Data == "style" || token.Data == "base" || token.Data == "form" {
			faults = append(faults, fmt.Sprintf("has an element <%s>", token.Data))
		}
		for _, a := range token.Attr {
			if fault := faultOfAttribute(files, a); fault != "" {
				faults = append(faults, fault)
			}
		}
	}
}

func faultOfAttribute(files fs.FS, a html.Attribute) string {
	value := strings.TrimSpace(a.Val)
	switch {
	case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
		return fmt.Sprintf("has an attribute %s", a.Key)
	case a.Key == "href" || a.Key == "src" || a.Key == "srcset" || a.Key == "action":
		if strings.HasPrefix(value, "/") || strings.Contains(value, ":") {
			return fmt.Sprintf("leads to %q", value)
		}
		if asset, is := strings.CutPrefix(value, "live/"); is {
			if _, err := fs.Stat(files, asset); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}
