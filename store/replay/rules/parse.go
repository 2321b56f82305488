package rules

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads rules, and does not try their examples.
func parse(text []byte) (*Set, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("rules: %w", err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return &Set{}, nil
	}
	if doc.Content[0].Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("rules: line %d: expected a list of rules", doc.Content[0].Line)
	}
	s, names := &Set{}, map[string]bool{}
	for _, node := range doc.Content[0].Content {
		r, err := parseRule(node)
		if err == nil && names[r.name] {
			err = r.errorf("there is another rule of that name")
		}
		if err != nil {
			return nil, err
		}
		names[r.name] = true
		s.rules = append(s.rules, r)
	}
	return s, nil
}

// errorf returns an error that names the rule.
func (r *rule) errorf(format string, args ...any) error {
	return fmt.Errorf("rule %q, line %d: %w", r.name, r.line, fmt.Errorf(format, args...))
}

// parseRule reads a mapping. Its member line, if it is there, is where it stood before.
func parseRule(node *yaml.Node) (*rule, error) {
	r := &rule{line: node.Line}
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("rules: line %d: expected a rule: name: …", node.Line)
	}
	for _, key := range []string{"line", "name"} { // for the errors of the others
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == key {
				r.set(key, node.Content[i+1])
			}
		}
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if seen[key] {
			return nil, r.errorf("%s is there twice", key)
		}
		seen[key] = true
		if err := r.set(key, node.Content[i+1]); err != nil {
			return nil, r.errorf("%s: %w", key, err)
		}
	}
	return r, r.check()
}

// check refuses a rule that says too little.
func (r *rule) check() error {
	switch {
	case r.name == "" || strings.Trim(r.name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return r.errorf("a name is lower-case letters, digits and -")
	case !r.query.any() && !r.body.any() && !r.matrix.any() && !r.hostVaries &&
		!slices.ContainsFunc(r.paths, pathPattern.hasChance):
		return r.errorf("it leaves nothing out: give it query, body, matrix, or a path with {kind}")
	case r.hostVaries && len(r.hosts) == 0:
		return r.errorf("host-varies needs the hosts")
	}
	return nil
}

// set sets a member of a rule.
func (r *rule) set(key string, node *yaml.Node) (err error) {
	switch key {
	case "name":
		r.name, err = scalar(node)
	case "line":
		return r.setLine(node)
	case "for":
		r.reason, err = scalar(node)
	case "known":
		r.known, err = scalar(node)
	case "host":
		r.hosts, err = hosts(node)
	case "path":
		r.paths, err = paths(node)
	case "method":
		r.methods, err = list(node)
	case "query":
		r.query, err = parseTerms(node)
	case "body":
		r.body, err = parseTerms(node)
	case "matrix":
		r.matrix, err = parseTerms(node)
	case "keep":
		r.keep, err = parseNames(node)
	case "either":
		r.either, err = truth(node)
	case "host-varies":
		r.hostVaries, err = truth(node)
	case "same":
		r.same, err = pairs(node)
	case "differs":
		r.differs, err = pairs(node)
	default:
		return errors.New("a rule has no such key: it has name, for, known, host, path, method, query, " +
			"body, matrix, keep, either, host-varies, same, differs")
	}
	return err
}

func (r *rule) setLine(node *yaml.Node) error {
	line, err := strconv.Atoi(node.Value)
	if err == nil {
		r.line = line
	}
	return err
}

func scalar(node *yaml.Node) (string, error) {
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return "", errors.New("expected a text")
	}
	return node.Value, nil
}

func truth(node *yaml.Node) (bool, error) {
	if node.Value != "true" && node.Value != "false" {
		return false, errors.New("expected true or false")
	}
	return node.Value == "true", nil
}

// list reads a text, or a list of texts.
func list(node *yaml.Node) ([]string, error) {
	if node.Kind != yaml.SequenceNode {
		text, err := scalar(node)
		return []string{text}, err
	}
	var all []string
	for _, one := range node.Content {
		text, err := scalar(one)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

func hosts(node *yaml.Node) ([]string, error) {
	all, err := list(node)
	for i, host := range all {
		all[i] = strings.ToLower(host)
		if rest := strings.TrimPrefix(host, "*."); rest == "" || strings.ContainsAny(rest, "*/:? ") {
			return nil, fmt.Errorf("%q is no host: write a.example, or *.a.example for those below", host)
		}
	}
	return all, err
}

// parseTerms reads a mapping of names to kinds, or the word any.
func parseTerms(node *yaml.Node) (t terms, err error) {
	if node.Kind == yaml.ScalarNode && node.Value == "any" {
		return terms{all: true}, nil
	}
	if node.Kind != yaml.MappingNode {
		return t, errors.New("expected names with kinds of values, {name: any}, or the word any")
	}
	t.exact = map[string]kinds{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		k, err := parseKinds(node.Content[i+1].Value)
		if err == nil {
			err = t.add(strings.ToLower(node.Content[i].Value), k)
		}
		if err != nil {
			return t, fmt.Errorf("%s: %w", node.Content[i].Value, err)
		}
	}
	return t, nil
}

// parseNames reads a list of names.
func parseNames(node *yaml.Node) (map[string]bool, error) {
	all, err := list(node)
	names := map[string]bool{}
	for _, name := range all {
		names[strings.ToLower(name)] = true
	}
	return names, err
}

// isOfName reports whether a name may hold c: what stands for itself in a URL key.
func isOfName(c byte) bool { return c > ' ' && c < 0x7f && c != '%' && c != '#' }

// add adds a name.
func (t *terms) add(name string, k kinds) error {
	if inner, is := strings.CutPrefix(name, "{"); is && strings.HasSuffix(inner, "}") {
		shape, err := parseKinds(strings.TrimSuffix(inner, "}"))
		t.made = append(t.made, made{shape, k})
		return err
	}
	if name == "" || !only(name, isOfName) {
		return errors.New("a name is printable ASCII without blanks, % and #")
	}
	before, after, isStarred := strings.Cut(name, "*")
	switch {
	case strings.Contains(after, "*"):
		return errors.New("a name has one * at most")
	case isStarred:
		for _, s := range t.stars {
			if s.before == before && s.after == after {
				return errors.New("it is there twice")
			}
		}
		t.stars = append(t.stars, starred{before, after, k})
	case t.exact[name] != 0:
		return errors.New("it is there twice")
	default:
		t.exact[name] = k
	}
	return nil
}

// parseKinds reads names of kinds with blanks between them.
func parseKinds(text string) (all kinds, err error) {
	for name := range strings.FieldsSeq(text) {
		k, is := kindNames[name]
		if !is {
			return 0, fmt.Errorf("%q is no kind: use %s", name, kindList())
		}
		all |= k
	}
	if all == 0 {
		return 0, fmt.Errorf("a kind of values is missing: use %s", kindList())
	}
	return all, nil
}
