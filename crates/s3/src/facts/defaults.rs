//! Fields that have their default are not stored.

/// Returns whether a field has its default, and need not be stored.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
