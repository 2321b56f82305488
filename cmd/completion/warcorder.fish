# Completion of warcorder for fish:
#   warcorder completion fish | source                                  # in config.fish
#   warcorder completion fish >~/.config/fish/completions/warcorder.fish   # or once
function __warcorder_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :file
                __fish_complete_path "$current"
            case :dir
                __fish_complete_directories "$current"
            case :command
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete --command warcorder --no-files --arguments '(__warcorder_complete)'
