"""ArcheFlow: lessons across runs, in `.archeflow/memory/`.

`lessons` is the codec, `match`, `extract`, `hints`, `inject`, `decay`, `audit` and `regression` are pure
rules, `folder` is the disk, `line_edit` merges our lines with a neighbour's, `command` the drop-in for
`lib/archeflow-memory.sh`.
"""
