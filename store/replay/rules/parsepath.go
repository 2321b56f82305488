package rules

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// paths reads one pattern or a list of them.
func paths(node *yaml.Node) ([]pathPattern, error) {
	texts, err := list(node)
	if err != nil {
		return nil, err
	}
	all := make([]pathPattern, len(texts))
	for i, text := range texts {
		if all[i], err = parsePath(text); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
	}
	return all, nil
}

// parsePath reads a pattern: /a/b*/**/{digits}.
func parsePath(text string) (p pathPattern, err error) {
	text, isPath := strings.CutPrefix(text, "/")
	if !isPath {
		return p, errors.New("a path begins with /")
	}
	for segment := range strings.SplitSeq(text, "/") {
		s, err := parseSegment(segment)
		if err != nil {
			return nil, err
		}
		p = append(p, s)
	}
	return p, nil
}

// parseSegment reads the pattern of a segment; in braces one that is left out: {digits}, {token=*}.
func parseSegment(text string) (s segmentPattern, err error) {
	if text == "**" {
		return segmentPattern{many: true}, nil
	}
	if inner, is := strings.CutPrefix(text, "{"); is && strings.HasSuffix(inner, "}") {
		text = strings.TrimSuffix(inner, "}")
		if !strings.Contains(text, "*") {
			s.chance, err = parseKinds(text)
			return s, err
		}
		s.chance = anything
	}
	s.text, s.end, s.star = strings.Cut(text, "*")
	if strings.ContainsAny(s.text+s.end, "*{}?#") {
		return s, errors.New("a segment is a text with one * at most, or {kind}")
	}
	return s, nil
}
