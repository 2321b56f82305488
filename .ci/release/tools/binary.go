package main

import (
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// kind says what a program is: its form, and what it is built for by its own word.
func kind(w io.Writer, path string) error {
	form, err := formOf(path)
	if err != nil {
		return err
	}
	built, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, one := range built.Settings {
		settings[one.Key] = one.Value
	}
	_, err = fmt.Fprintf(w, "%s %s/%s cgo=%s trimpath=%s %s\n", form, settings["GOOS"], settings["GOARCH"],
		settings["CGO_ENABLED"], settings["-trimpath"], built.GoVersion)
	return err
}

// formOf returns the form of a program, its machine, and of ELF whether it needs libraries.
func formOf(path string) (string, error) {
	if file, err := elf.Open(path); err == nil {
		defer file.Close()
		linked := "static"
		for _, part := range file.Progs {
			if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
				linked = "dynamic"
			}
		}
		return fmt.Sprintf("ELF %v %s", file.Machine, linked), nil
	}
	if file, err := macho.Open(path); err == nil {
		defer file.Close()
		return fmt.Sprintf("Mach-O %v", file.Cpu), nil
	}
	if file, err := pe.Open(path); err == nil {
		defer file.Close()
		return fmt.Sprintf("PE %#x", file.Machine), nil
	}
	return "", errors.New(path + " is no program")
}

// modules lists the modules that are linked into a program.
func modules(w io.Writer, path string) error {
	built, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	var lines []string
	for _, dep := range built.Deps {
		lines = append(lines, dep.Path+" "+dep.Version)
	}
	slices.Sort(lines)
	_, err = fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// components lists the modules of a CycloneDX list, without Go itself.
func components(w io.Writer, path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bom struct {
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(content, &bom); err != nil {
		return err
	}
	var lines []string
	for _, one := range bom.Components {
		if one.Name != "std" {
			lines = append(lines, one.Name+" "+one.Version)
		}
	}
	slices.Sort(lines)
	_, err = fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}
