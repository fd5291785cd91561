"""Takes over what other memories have stored: Mem0's and that of the package ``genome-memory``.

An importer reads all of its source, writes it as a file in the form of ``Memory.export``, and lets ``Memory.import_`` check
and store that. So either all of a source can be taken or nothing is written, ids and times are kept, and importing again
changes nothing. Facts are read by rules in the texts, as recorded when the other memory stored them. Vectors are made anew.
"""

from genome_core.importing.genome_memory import import_genome_memory
from genome_core.importing.mem0 import import_mem0
from genome_core.importing.moving import Imported

__all__ = ["Imported", "import_genome_memory", "import_mem0"]
