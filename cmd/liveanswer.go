package cmd

import (
	"encoding/json"
	"net/http"
)

// answer answers a program with JSON.
func answer(w http.ResponseWriter, status int, with any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.Encode(with)
}

// refuse says to a program why it gets nothing.
func refuse(w http.ResponseWriter, status int, why error) {
	answer(w, status, map[string]string{"error": why.Error()})
}
