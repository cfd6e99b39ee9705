"""Maven Central: artifacts of the JVM."""
