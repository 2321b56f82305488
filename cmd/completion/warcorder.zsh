#compdef warcorder
# Completion of warcorder for zsh:
#   source <(warcorder completion zsh)                     # in ~/.zshrc, behind compinit
#   warcorder completion zsh >"${fpath[1]}/_warcorder"     # or once
_warcorder() {
	local line
	local -a found
	while IFS= read -r line; do
		case $line in
		:file) compset -P '--*='; _files; return ;;
		:dir) compset -P '--*='; _files -/; return ;;
		:command) _command_names -e; return ;;
		*) found+=("${${line%%$'\t'*}//:/\\:}${${(M)line%$'\t'*}/$'\t'/:}") ;;
		esac
	done < <($words[1] completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
	_describe warcorder found
}
if [ "$funcstack[1]" = _warcorder ]; then _warcorder "$@"; else compdef _warcorder warcorder; fi
