"""Events: facts in the past tense, stored for ever. One module per aggregate; the codec reads them all."""
