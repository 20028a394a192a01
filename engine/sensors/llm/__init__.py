"""The sensor that asks a language model: what is asked, how it is sent, and which answers are believed.

`asking` builds requests (no key, no network), `cost` says what they may cost, `calls` sends one, `answers` checks what
came back. A text that is looked at is data on the whole way: it can change neither a schema, nor an id, nor a file.
"""
