"""Whatever others write: only named errors, no path outside, no hang."""
