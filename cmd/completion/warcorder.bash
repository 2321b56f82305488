# Completion of warcorder for bash:
#   source <(warcorder completion bash)                                       # in ~/.bashrc
#   warcorder completion bash >~/.local/share/bash-completion/completions/warcorder   # or once
_warcorder() {
	local line word cur=${COMP_WORDS[COMP_CWORD]}
	[[ $cur != '=' ]] || cur=
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:file | :dir)
			compopt -o filenames 2>/dev/null
			while IFS= read -r word; do COMPREPLY+=("$word"); done \
				< <(if [[ $line == :dir ]]; then compgen -d -- "$cur"; else compgen -f -- "$cur"; fi)
			;;
		:command) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$cur") ;;
		*)
			word=${line%%$'\t'*}
			# What stands before = is a word of its own here.
			[[ $word != --*=* || $COMP_WORDBREAKS != *=* ]] || word=${word#*=}
			# A folder's name may hold what bash would run.
			printf -v word %q "$word"
			COMPREPLY+=("$word")
			;;
		esac
	done < <("$1" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _warcorder warcorder
