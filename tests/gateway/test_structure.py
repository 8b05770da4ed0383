"""The gateway's modules build on each other in one direction."""

from graphlib import TopologicalSorter

import grimp


def test_no_circle_of_imports() -> None:
    """Imports that only the type checker sees count, too."""
    graph = grimp.build_graph("services")
    modules = {"services.gateway", *graph.find_descendants("services.gateway")}
    imported = {m: graph.find_modules_directly_imported_by(m) & modules for m in modules}
    TopologicalSorter(imported).prepare()  # raises CycleError, which names the circle
