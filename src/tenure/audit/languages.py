"""Which grammar reads which file, and which nodes of each grammar define a name: data only.

The grammars come from `tree-sitter-language-pack` below 1.0, the extra `audit`: its wheels carry them. From
1.0 on they are fetched when first used, which an audit without a network cannot do.
"""

from __future__ import annotations

from tenure.audit.words import listed

GRAMMARS = {
    "py": "python",
    "pyi": "python",
    "js": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "ts": "typescript",
    "mts": "typescript",
    "cts": "typescript",
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "c": "c",
    "h": "cpp",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "hh": "cpp",
    "hpp": "cpp",
    "hxx": "cpp",
    "rb": "ruby",
    "rake": "ruby",
    "kt": "kotlin",
    "kts": "kotlin",
    "php": "php",
    "cs": "csharp",
    "swift": "swift",
}
# For grammars whose nodes have no field for the name.
FIRST_IDENTIFIER = "#"

_SCRIPT = {
    "function_declaration": "name",
    "generator_function_declaration": "name",
    "function_signature": "name",
    "class_declaration": "name",
    "abstract_class_declaration": "name",
    "method_definition": "name",
    "method_signature": "name",
    "abstract_method_signature": "name",
    "property_signature": "name",
    "public_field_definition": "name",
    "field_definition": "property",
    "variable_declarator": "name",
    "interface_declaration": "name",
    "type_alias_declaration": "name",
    "enum_declaration": "name",
    "enum_assignment": "name",
    "internal_module": "name",
    "function_expression": "name",
    "class": "name",
    "pair": "key",
}
_C = {
    "function_declarator": "declarator",
    "struct_specifier": "name",
    "class_specifier": "name",
    "union_specifier": "name",
    "enum_specifier": "name",
    "type_definition": "declarator",
    "preproc_def": "name",
    "preproc_function_def": "name",
    "enumerator": "name",
    "namespace_definition": "name",
    "alias_declaration": "name",
    "init_declarator": "declarator",
    "declaration": "declarator",
    "field_declaration": "declarator",
    "concept_definition": "name",
}

# Node type -> the field that holds the defined name.
DEFINITIONS: dict[str, dict[str, str]] = {
    "python": {
        "function_definition": "name",
        "class_definition": "name",
        "assignment": "left",
        "type_alias_statement": "left",
    },
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": {
        "function_declaration": "name",
        "method_declaration": "name",
        "type_spec": "name",
        "type_alias": "name",
        "const_spec": "name",
        "var_spec": "name",
        "method_elem": "name",
        "method_spec": "name",
        "field_declaration": "name",
    },
    "rust": {
        "function_item": "name",
        "function_signature_item": "name",
        "struct_item": "name",
        "enum_item": "name",
        "union_item": "name",
        "trait_item": "name",
        "type_item": "name",
        "const_item": "name",
        "static_item": "name",
        "mod_item": "name",
        "macro_definition": "name",
        "enum_variant": "name",
        "field_declaration": "name",
        "associated_type": "name",
    },
    "java": {
        "class_declaration": "name",
        "interface_declaration": "name",
        "enum_declaration": "name",
        "record_declaration": "name",
        "annotation_type_declaration": "name",
        "method_declaration": "name",
        "constructor_declaration": "name",
        "variable_declarator": "name",
        "enum_constant": "name",
    },
    "c": _C,
    "cpp": _C,
    "kotlin": {
        "class_declaration": FIRST_IDENTIFIER,
        "object_declaration": FIRST_IDENTIFIER,
        "function_declaration": FIRST_IDENTIFIER,
        "variable_declaration": FIRST_IDENTIFIER,
        "enum_entry": FIRST_IDENTIFIER,
        "type_alias": FIRST_IDENTIFIER,
        "class_parameter": FIRST_IDENTIFIER,
    },
    "php": {
        "class_declaration": "name",
        "interface_declaration": "name",
        "trait_declaration": "name",
        "enum_declaration": "name",
        "enum_case": "name",
        "function_definition": "name",
        "method_declaration": "name",
        "const_element": FIRST_IDENTIFIER,
        "property_element": "name",
    },
    "csharp": {
        "class_declaration": "name",
        "interface_declaration": "name",
        "struct_declaration": "name",
        "record_declaration": "name",
        "enum_declaration": "name",
        "enum_member_declaration": "name",
        "method_declaration": "name",
        "property_declaration": "name",
        "constructor_declaration": "name",
        "delegate_declaration": "name",
        "variable_declarator": "name",
        "namespace_declaration": "name",
    },
    "swift": {
        "class_declaration": "name",
        "protocol_declaration": "name",
        "function_declaration": "name",
        "protocol_function_declaration": "name",
        "enum_entry": "name",
        "typealias_declaration": "name",
        "pattern": "bound_identifier",
    },
    "ruby": {
        "method": "name",
        "singleton_method": "name",
        "class": "name",
        "module": "name",
        "assignment": "left",
    },
}

# `Class::name` wraps the name it ends in.
SCOPED = ("qualified_identifier", "scope_resolution")

# A name in one of these without a body only mentions the type.
NEEDS_BODY = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})

# Node type -> the field that names the container of what is defined inside.
CONTAINERS = {
    "class_definition": "name",
    "class_declaration": "name",
    "abstract_class_declaration": "name",
    "interface_declaration": "name",
    "enum_declaration": "name",
    "record_declaration": "name",
    "internal_module": "name",
    "impl_item": "type",
    "struct_item": "name",
    "enum_item": "name",
    "type_spec": "name",
    "trait_item": "name",
    "mod_item": "name",
    "class_specifier": "name",
    "struct_specifier": "name",
    "namespace_definition": "name",
    "class": "name",
    "module": "name",
}

# These define variables, which are a function's own when they stand in one of those.
VARIABLES = listed(
    """
    assignment variable_declarator init_declarator declaration var_spec short_var_declaration variable_declaration
    const_spec property_declaration pattern
    """
)
BODIES = ("function", "method", "arrow", "closure", "lambda", "block_statement", "constructor", "init_declaration")

# A name inside one of these is data, not code; inside a comment it is nothing at all.
QUOTED = ("string", "heredoc", "char_literal", "jsx_text")

# Not searched for names at all: a name that only a changelog still mentions is gone.
PROSE = listed(
    """
    md mdx mdc markdown rst txt adoc org tex log csv tsv svg pdf html htm ipynb lock map patch
    """
)
MAX_SOURCE_BYTES = 1024 * 1024
MAX_MENTIONS = 40
